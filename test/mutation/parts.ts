/** A part of the core, and the tests that have to notice whatever breaks in it. */
export interface Part {
  readonly code: RegExp
  /** Globs. Fast tests only: no processes, no real waiting, no thousands of calls. */
  readonly tests: readonly string[]
}

/** The whole core. A file belongs to the first part that it matches. */
export const parts: Readonly<Record<string, Part>> = {
  'rate-limit': {
    code: /^src\/rate-limit\//,
    tests: ['test/limits/{rate-limit,rate-limit-headers,rate-limit-waiting,shared-rate-limit,budget}.test.ts'],
  },
  bulk: { code: /^src\/bulk\//, tests: ['test/limits/{bulk,estimate,journal}.test.ts'] },
  links: { code: /^src\/links\//, tests: ['test/links/{ensure,find,match,params,qr-text,reading}.test.ts'] },
  proxy: { code: /^src\/proxy\//, tests: ['test/proxy/*.test.ts'] },
  schema: {
    code: /^src\/schemas?[./]/,
    tests: ['test/{answers,odd-values,parameters,options,errors}.test.ts', 'test/links/params.test.ts'],
  },
  resources: {
    code: /^src\/resources\//,
    tests: ['test/{answers,calls,parameters,uploads,resources}.test.ts'],
  },
  lists: { code: /^src\/http\/lists\//, tests: ['test/lists/*.test.ts', 'test/api-promise.test.ts'] },
  uploads: { code: /^src\/http\/uploads\//, tests: ['test/{uploads,fetches}.test.ts'] },
  secrets: { code: /^src\/http\/(api-key|redact)\./, tests: ['test/{errors,options,redact,secrets}.test.ts'] },
  sending: {
    code: /^src\/http\/(retry|to-error|transport)\./,
    tests: [
      'test/{answers,api-promise,calls,error-advice,errors,fetches,observers,options,uploads}.test.ts',
      'test/limits/{budget,retry}.test.ts',
    ],
  },
  calls: {
    code: /^src\/http\//,
    tests: ['test/{answers,api-promise,calls,errors,observers,options,parameters,secrets}.test.ts'],
  },
  runtime: {
    code: /^src\/runtime\//,
    tests: [
      'test/{api-promise,error-output,errors,fetches,observers,options,read-body,uploads}.test.ts',
      'test/limits/{bulk,journal,retry}.test.ts',
    ],
  },
  client: {
    code: /^src\/[^/]+$/,
    tests: [
      'test/{api-promise,calls,error-advice,error-output,errors,fetches,options}.test.ts',
      'test/limits/bulk.test.ts',
    ],
  },
}
