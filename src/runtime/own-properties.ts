/** A copy with the object's own properties alone: what somebody has added to `Object.prototype` must not divert the key. */
export function ownProperties<T extends object>(object: T): T {
  return Object.assign(Object.create(null), object)
}
