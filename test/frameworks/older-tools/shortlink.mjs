export { ShortLinkClient } from 'shortlink-sdk'
export { createSandbox } from 'shortlink-sdk/testing'
