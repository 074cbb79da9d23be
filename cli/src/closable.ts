// Declares the types that `await using` needs, for programs whose `lib` lacks them. TypeScript and @types/node declare
// the same.
declare global {
  interface SymbolConstructor {
    readonly asyncDispose: unique symbol
  }
  interface AsyncDisposable {
    [Symbol.asyncDispose](): PromiseLike<void>
  }
}

/**
 * A resource that `await using` closes. Extend this instead of the global interface, so that its declaration is
 * included.
 */
export interface Closable extends AsyncDisposable {}
