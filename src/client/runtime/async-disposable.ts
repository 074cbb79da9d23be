// Declares what `await using` needs, for programs whose `lib` and types do not. The same as in TypeScript and
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
 * An object that `await using` closes. Extend it instead of the global interface, so that the declaration is included.
 */
export interface Closable extends AsyncDisposable {}
