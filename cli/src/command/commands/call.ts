import type { HttpMethod } from '../../../../src/client/client.ts'
import { clientArgs, clientOf } from '../client.ts'
import { command, UsageError } from '../command.ts'
import { jsonText } from '../output.ts'

/** `shortlink-sdk call` */
export default command(
  {
    meta: { name: 'call', description: 'Make any call below the base URL, and print the response as JSON' },
    args: {
      method: { type: 'positional', required: true, description: 'GET, POST, PUT, PATCH or DELETE' },
      path: { type: 'positional', required: true, description: 'such as /account, or "/urls?limit=2"' },
      data: { type: 'string', valueHint: 'json', description: 'the body' },
      json: { type: 'boolean', description: 'the response is JSON in any case' },
      ...clientArgs,
    },
    async run({ args }) {
      const { method, path, data } = args
      const [route = '', search] = path.split(/\?(.*)/s)
      const query = Object.fromEntries(new URLSearchParams(search))
      const json = data === undefined ? undefined : parseData(data)
      const client = clientOf(args)
      const body = await client.request(method.toUpperCase() as HttpMethod, route, {
        ...(search !== undefined && { query }),
        ...(json !== undefined && { json }),
      })
      // A 204 has no body.
      console.log(jsonText(body ?? null, 2))
    },
  },
  2,
)

function parseData(data: string): unknown {
  try {
    return JSON.parse(data)
  } catch (error) {
    throw new UsageError(
      `--data: expected JSON, such as '{"url": "https://shop.example"}': ${(error as Error).message}`,
    )
  }
}
