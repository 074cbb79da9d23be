import process from 'node:process'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { diagnose } from './doctor-setup.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

test('nothing is kept of responses of a megabyte of small objects but their first rows', async () => {
  const rows = `[${'{},'.repeat(300_000)}{"id":1}]`
  const page = '"result":300000,"perpage":300000,"currentpage":1,"nextpage":null,"maxpage":1'
  const names = { overlay: 'cta', qr: 'qrs', files: 'list', channel: 'items', urls: 'urls' }
  const retained: number[] = []
  const fetch = async (url: string) => {
    collectGarbage()
    retained.push(process.memoryUsage().heapUsed / 1024 / 1024)
    const [, path = ''] = /api\/(\w+)/.exec(url) ?? []
    const key = names[path as keyof typeof names] ?? path
    return new Response(`{"error":0,"data":{${page},"${key}":${rows}}}`)
  }
  const report = await diagnose({ baseUrl: 'https://sho.rt/api', apiKey: 'a-key-of-an-account', fetch })
  expect(report.requests).toBeGreaterThan(12)
  expect(retained.at(-1)! - retained[2]!).toBeLessThan(20)
})

test('a response above a megabyte is not read', async () => {
  let read = 0
  const body = () =>
    new ReadableStream<Uint8Array>({
      pull(controller) {
        read += 65_536
        controller.enqueue(new Uint8Array(65_536))
      },
    })
  const report = await diagnose({
    baseUrl: 'https://sho.rt/api',
    apiKey: 'a-key-of-an-account',
    fetch: async () => new Response(body()),
  })
  expect(report.verdict).toBe(
    'The client will not work: no response: the response is larger than maxResponseSize, 1048576 bytes.',
  )
  expect(read).toBeLessThan(2 * 1024 * 1024)
}, 120_000)
