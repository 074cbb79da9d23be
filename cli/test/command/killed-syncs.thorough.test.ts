import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Deviation } from 'shortlink-sdk/testing'
import { expect, test } from 'vitest'
import { randomOf } from '../../../test/helpers/random-server.ts'
import { seed } from '../../../test/helpers/seed.ts'
import { times } from '../../../test/helpers/times.ts'
import { setUpProcesses } from './processes.ts'
import { buildCommand } from './program.ts'

const cli = await buildCommand()
const RUNS = Number(process.env.FAULTS_RUNS ?? times(10))

const kinds: { readonly dialect: Deviation[]; readonly isExact: boolean }[] = [
  { dialect: [], isExact: true },
  { dialect: ['update-clears'], isExact: true },
  { dialect: ['short-ignored', 'order-unstable'], isExact: true },
  { dialect: ['alias-case-ignored', 'update-clears'], isExact: true },
  { dialect: ['url-respelled', 'title-cut'], isExact: false },
]

const shop = (name: string) => `https://shop.example/${name}`

test(`${RUNS} syncs and reports that are killed at a random moment from seed ${seed} on change only links of the file, and the same command does the rest`, {
  timeout: 1_200_000,
}, async () => {
  let kills = 0
  for (let run = 0; run < RUNS; run++) {
    const random = randomOf(seed + run)
    const { dialect, isExact } = kinds[run % kinds.length]!
    const there = Array.from({ length: 12 }, (_, index) => ({
      alias: `p-${index}`,
      longurl: shop(`old/${index}`),
      title: index % 2 === 0 ? 'Tea &amp; cake' : 'Tea',
      expiry: '2030-01-01 00:00:00',
      clicks: index,
    }))
    const others = ['p_1', 'P-20', 'other', 'x-kept'].map((alias) => ({
      alias,
      longurl: shop('other'),
      title: '&lt;b&gt;',
    }))
    const old = ['x-1', 'x-2'].map((alias) => ({ alias, longurl: shop('x') }))
    const links = [...there, ...old, ...others]
    const { sandbox, folder, watch, start } = await setUpProcesses(cli, { dialect, data: { links } })
    const wanted = [
      ...there.map(({ alias, longurl }, index) => ({ alias, url: random() < 0.5 ? longurl : shop(`new/${index}/`) })),
      ...Array.from({ length: 6 }, (_, index) => ({ alias: `n-${index}`, url: shop(`n/${index}#menu`) })),
      { alias: 'x-kept', url: shop('other') },
    ]
    const file = join(folder, 'links.csv')
    await writeFile(file, `alias,url\n${wanted.map(({ alias, url }) => `${alias},${url}\n`).join('')}`)
    const untouched = (alias: string) => !wanted.some((row) => row.alias === alias) && !alias.startsWith('x-')
    const pickUntouched = () => JSON.stringify(sandbox.data.links.filter(({ alias }) => untouched(alias)))
    const before = structuredClone(sandbox.data.links)
    const untouchedBefore = pickUntouched()
    const report = join(folder, 'report.csv')
    const reportArgs = ['report', '--previous', report, '--out', report]
    expect((await start(...reportArgs).ended).stderr).toContain('does not exist, so this is the first report')
    const firstReport = await readFile(report, 'utf8')

    /** Runs the command, and kills it after a number of responses. */
    const runKilled = async (responses: number, ...args: string[]) => {
      const { child, ended } = start(...args)
      let left = responses
      watch(() => {
        if (left-- <= 0) child.kill('SIGKILL')
      })
      const { signal, status, stdout, stderr } = await ended
      watch(() => {})
      if (signal === 'SIGKILL') kills++
      return { signal, status, stdout, stderr }
    }
    const apply = ['sync', file, '--apply', '--may-clear', '--prune', 'x-', ...(isExact ? [] : ['--accept-stored'])]
    const checkLinks = () => {
      expect(pickUntouched()).toBe(untouchedBefore)
      const aliases = sandbox.data.links.map(({ alias }) => alias)
      expect(new Set(aliases).size).toBe(aliases.length)
      for (const { alias, longurl, title, expiry } of sandbox.data.links) {
        const row = wanted.find((row) => row.alias === alias)
        const earlier = before.find((link) => link.alias === alias)
        if (!row) continue
        const stored = isExact ? row.url : row.url.replace(/#.*|\/$/, '')
        expect([stored, earlier?.longurl]).toContain(longurl)
        if (earlier) expect([title, expiry]).toEqual([earlier.title, earlier.expiry])
      }
    }
    await runKilled(Math.floor(random() * 30), ...apply)
    checkLinks()
    await runKilled(Math.floor(random() * 30), ...apply)
    checkLinks()
    const last = await start(...apply).ended
    expect([run, last.status, last.stderr]).toEqual([run, 0, last.stderr])
    checkLinks()
    expect(sandbox.data.links.map(({ alias }) => alias).sort()).toEqual(
      [...wanted.map(({ alias }) => alias), 'p_1', 'P-20', 'other'].sort(),
    )
    const check = ['sync', file, '--check', '--prune', 'x-', ...(isExact ? [] : ['--accept-stored'])]
    expect([run, (await start(...check).ended).status]).toEqual([run, 0])

    sandbox.data.links[0]!.clicks += 5
    const killed = await runKilled(0, ...reportArgs)
    if (killed.signal === 'SIGKILL') expect(await readFile(report, 'utf8')).toBe(firstReport)
    const isWritten = (await readFile(report, 'utf8')) !== firstReport
    const { status, stderr } = await start(...reportArgs).ended
    expect(status).toBe(0)
    expect(stderr).toContain(`${isWritten ? 0 : 5} of them new since`)
  }
  console.log(`${RUNS} runs, ${kills} kills`)
  expect(kills).toBeGreaterThan(RUNS)
})
