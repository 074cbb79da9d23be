/** A journal of an import belongs to one server. */

import { ConfigurationError, isShortLinkError } from 'shortlink-sdk'
import { formatValue } from '../../../src/client/checks/mismatch.ts'
import { getAlias, getHost } from '../../../src/client/links/match.ts'
import { createWriter, type TaskClient } from './client.ts'
import {
  createMissingDataError,
  createServerEntry,
  findRecordedLinks,
  getServer,
  hasRows,
  type Journal,
  type JournalState,
  type RecordedLink,
  SERVER_KEY,
} from './journal.ts'

/** A journal belongs to another server, or nothing shows that it is this one. */
export class OtherServerError extends ConfigurationError {
  /** The number of rows that the journal has as done. */
  declare readonly doneCount: number
  /** The host of this server. */
  declare readonly host: string
  /** What is wrong, without advice. */
  declare readonly finding: string

  constructor(finding: string, host: string, doneCount: number) {
    super(
      `${finding}. To start on this server, use another journal (--journal ${host}.journal). sameServer (--same-server) uses this one: nothing is made for the ${doneCount} rows recorded as done`,
    )
    Object.assign(this, { finding, host, doneCount })
  }
}

/**
 * Wraps a journal so that its first entry says which server it belongs to.
 *
 * @param isReadOnly Whether nothing is written, for a dry run.
 */
export function withServerEntry(journal: Journal, baseUrl: string, isReadOnly: boolean): Journal {
  let server: string | undefined
  let written: Promise<void> | undefined
  const writeServer = async () => {
    if (server === undefined || server !== baseUrl) await journal.write(createServerEntry(baseUrl))
  }
  return {
    open: () => journal.open?.(),
    async *read() {
      for await (const entry of journal.read()) {
        if (entry.key === SERVER_KEY) server = getServer(new Map([[entry.key, entry]]))
        yield entry
      }
    },
    async write(entry) {
      if (isReadOnly) return
      written ??= writeServer()
      await written
      await journal.write(entry)
    },
    close: () => journal.close?.(),
  }
}

interface CheckOptions {
  readonly sameServer?: boolean | undefined
}

/**
 * Checks that a journal belongs to the server of a client. If it has another address, looks up the newest link of the
 * journal.
 *
 * @throws {OtherServerError} if the link is not there
 */
export async function checkServer(
  client: TaskClient,
  signal: AbortSignal,
  earlier: JournalState,
  { sameServer = false }: CheckOptions,
): Promise<void> {
  if (!hasRows(earlier)) return
  const server = getServer(earlier)
  if (server === undefined && earlier.has(SERVER_KEY)) throw createMissingDataError(SERVER_KEY)
  const baseUrl = client.baseUrl!
  if (sameServer || (server !== undefined && isSameServer(server, baseUrl))) return
  const done = findRecordedLinks(earlier).filter(({ isDone }) => isDone)
  const fail = (why: string) => {
    const whose = server === undefined ? 'does not say its server' : `is of ${server}`
    return new OtherServerError(`the journal ${whose}, and ${why}`, getHost(baseUrl), done.length)
  }
  const newest = done.reduce<RecordedLink | undefined>(
    (one, other) => (one && one.id > other.id ? one : other),
    undefined,
  )
  if (!newest) throw fail('has no link to look for on this server')
  const { links } = createWriter(client)
  const found = await links.get(newest.id, { signal }).catch((error) => {
    if (isShortLinkError(error) && error.code === 'aborted') throw error
    const isMissing = isShortLinkError(error) && error.code === 'not_found' && error.isFromApi
    throw fail(
      isMissing ? `${baseUrl} has no link ${newest.id}` : `its newest link cannot be looked up: ${error.message}`,
    )
  })
  const alias = getAlias({ alias: null, shorturl: found.details.shorturl })
  const recorded = getAlias({ alias: null, shorturl: newest.shorturl })
  if (alias !== recorded)
    throw fail(`link ${newest.id} is ${formatValue(alias)} at ${baseUrl}, not ${formatValue(recorded)}`)
}

/** Returns whether two base URLs are one server. `http` and `https`, default ports and the case of the host are equal. */
export function isSameServer(one: string, other: string): boolean {
  const normalize = (baseUrl: string) => {
    try {
      const { host, port, pathname } = new URL(baseUrl)
      const isDefault = port === '80' || port === '443'
      return `${isDefault ? host.replace(/:\d+$/, '') : host}${pathname.replace(/\/+$/, '')}`
    } catch {
      return baseUrl
    }
  }
  return normalize(one) === normalize(other)
}
