import { type Deviation, deviations } from '../../testing/index.ts'
import { many } from '../counts-and-times.ts'
import type { Examination } from './examine.ts'
import { judge, problemOf } from './judge.ts'
import { deviationsOf } from './signs.ts'

/** The findings as plain data, without the key and without values of rows, so that they can be pasted anywhere. */
export type Report = ReturnType<typeof reportOf>

export function reportOf(seen: Examination) {
  const { subject, requests, calls, notAsked } = seen
  const { found, notLookedFor } = deviationsOf(seen)
  return {
    ...judge(seen, found.length),
    baseUrl: subject.baseUrl,
    requests,
    calls: calls.map(({ name, path, status = null, kind, ms, error, issues }) => ({
      ...{ call: name, path, status, kind, ms, issues },
      ...(error && { message: problemOf(error) }),
    })),
    notAsked,
    deviations: found,
    notLookedFor,
    /** A mock server that deviates in the same way, to paste into tests. */
    sandbox: `createSandbox({ dialect: [${found.map((name) => `'${name}'`).join(', ')}] })`,
  }
}

/** A report as text: the verdict and what explains it, in ten lines at most. `isVerbose` adds each call and deviation. */
export function print(report: Report, isVerbose: boolean): string {
  const { text, notes, requests } = report
  const shown = notes.length > 8 && !isVerbose ? [...notes.slice(0, 7), `${notes.length - 7} more: --verbose`] : notes
  const last = `${many(requests, 'request')} sent, and nothing was changed.`
  const lines = [text, ...[...shown, last].map((note) => `  ${note}`), ...(isVerbose ? detailsOf(report) : [])]
  return `${lines.join('\n')}\n`
}

function detailsOf({ calls, deviations: found, notLookedFor, sandbox }: Report): string[] {
  return [
    '',
    ...calls.flatMap(({ call, path, status, kind, ms, issues, message }) => [
      `${kind.padEnd(10)} ${String(status ?? '-').padStart(3)} ${`${ms} ms`.padStart(8)}  GET ${path}  ${call}`,
      ...[...(message ? [message] : []), ...issues].map((line) => `  ${line}`),
    ]),
    '',
    ...found.map((name: Deviation) => `${name}: ${deviations[name]}`),
    `The same in your tests: ${sandbox}`,
    `Not looked for: ${notLookedFor.join(', ')}.`,
  ]
}
