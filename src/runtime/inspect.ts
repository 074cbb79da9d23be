/** The name of the method by which Node, Bun and Deno let an object say how it is printed. */
export const inspectCustom = Symbol.for('nodejs.util.inspect.custom')

/** What that method is given to print its parts with. */
export type Inspect = (value: unknown, options: object) => string
