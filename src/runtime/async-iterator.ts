/** The key that `for await` uses, also in compiled code on engines without the symbol (older Hermes). */
export const asyncIterator: typeof Symbol.asyncIterator =
  Symbol.asyncIterator ?? ('@@asyncIterator' as unknown as typeof Symbol.asyncIterator)
