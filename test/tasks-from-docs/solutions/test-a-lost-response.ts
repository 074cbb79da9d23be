import { ShortLinkClient } from 'shortlink-sdk'
import { createSandbox } from 'shortlink-sdk/testing'

export const sandbox = createSandbox()
const { links } = new ShortLinkClient(sandbox.clientOptions)

sandbox.fail({ method: 'POST', path: '/url/add', drop: 'after' })
await links.ensure({ url: 'https://shop.example/tea', custom: 'tea' })
console.log(sandbox.data.links.length)
