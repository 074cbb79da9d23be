// What `await using` needs, for programs whose `lib` and types do not have it. The same as in TypeScript and
// @types/node.
declare global {
  interface SymbolConstructor {
    readonly asyncDispose: unique symbol
  }
  interface AsyncDisposable {
    [Symbol.asyncDispose](): PromiseLike<void>
  }
}

/**
 * Something that `await using` closes. Extend it rather than the global interface, so that its declaration comes along.
 */
export interface Closable extends AsyncDisposable {}
