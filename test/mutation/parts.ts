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
    tests: ['test/{answers,error-advice,parameters,options,errors}.test.ts', 'test/links/{params,reading}.test.ts'],
  },
  resources: {
    code: /^src\/resources\//,
    tests: ['test/{answers,calls,parameters,uploads,resources}.test.ts'],
  },
  lists: {
    code: /^src\/http\/lists\//,
    tests: [
      'test/lists/{budget,list,page-size,paginate,walk}.test.ts',
      'test/hostile/endless-lists.test.ts',
      'test/api-promise.test.ts',
    ],
  },
  uploads: {
    code: /^src\/http\/uploads\//,
    tests: ['test/{fetches,upload-bodies,uploads,uploads-in-a-browser}.test.ts'],
  },
  secrets: {
    code: /^src\/http\/(api-key|readings|secrets)\./,
    tests: ['test/{error-advice,errors,options,redact,secrets}.test.ts'],
  },
  sending: {
    code: /^src\/http\/(retry|to-error|transport)\./,
    tests: [
      'test/{answers,api-promise,calls,error-advice,error-output,errors,fetches,observers,options,parameters}.test.ts',
      'test/{other-runtimes,retry-conditions,secrets,upload-bodies,uploads,uploads-in-a-browser}.test.ts',
      'test/limits/{budget,retry}.test.ts',
    ],
  },
  calls: {
    code: /^src\/http\//,
    tests: [
      'test/{answers,api-promise,calls,error-advice,errors,observers,options,parameters,secrets}.test.ts',
      'test/lists/{list,paginate}.test.ts',
    ],
  },
  runtime: {
    code: /^src\/runtime\//,
    tests: [
      'test/{api-promise,deadline,errors,hash,observers,options,other-runtimes,read-body}.test.ts',
      'test/{upload-bodies,uploads-in-a-browser}.test.ts',
      'test/limits/bulk.test.ts',
    ],
  },
  client: {
    code: /^src\/[^/]+$/,
    tests: [
      'test/{api-promise,calls,error-advice,error-output,errors,fetches,loggers,observers,options}.test.ts',
      'test/{parameters,secrets,uploads}.test.ts',
      'test/lists/paginate.test.ts',
      'test/limits/{budget,bulk}.test.ts',
    ],
  },
}
