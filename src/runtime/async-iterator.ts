/** The name under which loops look for the steps of an object: compiled ones too, on engines that lack the symbol (older Hermes). */
export const asyncIterator: typeof Symbol.asyncIterator =
  Symbol.asyncIterator ?? ('@@asyncIterator' as unknown as typeof Symbol.asyncIterator)
