/** The method that Node, Bun and Deno call to print an object. */
export const inspectCustom = Symbol.for('nodejs.util.inspect.custom')

/** The function that this method receives for printing parts of the object. */
export type Inspect = (value: unknown, options: object) => string
