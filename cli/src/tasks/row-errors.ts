/** Classifies and creates the errors of links that an import or a sync creates. */

import {
  type ApiError,
  type AuthenticationError,
  type CreatedLink,
  InvalidResponseError,
  type InvalidResponseReason,
  isShortLinkError,
  LinkConflictError,
  type Outcome,
  PermissionError,
} from 'shortlink-sdk'
import { formatValue } from '../../../src/client/checks/mismatch.ts'
import { isOnDomain } from '../../../src/client/links/match.ts'
import { isRecord } from '../../../src/client/runtime/text.ts'
import type { TaskClient } from './client.ts'
import type { ImportRow } from './rows.ts'

/** Returns whether the API refused a call for a reason that only the text of its message states. */
export function isRefusal(error: unknown): error is ApiError {
  if (!isShortLinkError(error)) return false
  return error.code === 'not_found' ? error.isFromApi : error.code === 'api' && isRecord(error.body)
}

/** Returns whether the alias belongs to another link. */
export const isConflict = (error: unknown): error is LinkConflictError =>
  isShortLinkError(error) && error.code === 'link_conflict'

/** Copies a conflict without the call in its message, which means nothing to a reader of the row's result. */
export function removeCall(error: LinkConflictError): LinkConflictError {
  const { method = '', path = '', url = '', attempts, outcome, others } = error
  return new LinkConflictError(error, { operation: '', method, path, url, attempts, outcome }, others)
}

/** Returns whether the key lacks a permission, for example because the plan allows no more links. */
export const isPermissionError = (error: unknown): error is PermissionError =>
  isShortLinkError(error) && error.code === 'permission'

/** Copies an error without the advice to check the key. */
export function removeAdvice(error: PermissionError): PermissionError {
  const { status, method = '', path = '', url = '', attempts, outcome } = error
  const message = `${status} ${describeAnswer(error)}`
  return new PermissionError(message, error, { method, path, url, attempts, outcome })
}

/** The error of a link that the server created with a different alias or domain than requested. */
type OtherAliasError = InvalidResponseError & { readonly reason: 'other_alias' }

const isHtml = (body: unknown): boolean => typeof body === 'string' && /^\s*</.test(body)

/** Returns whether a request was refused with a web page, which says nothing about the key. */
export const isPageOfFirewall = (error: unknown): error is PermissionError | AuthenticationError =>
  isShortLinkError(error) && (error.code === 'permission' || error.code === 'authentication') && isHtml(error.body)

/** Describes what the server said with a refusal. A firewall in front of it sends a web page instead of a message. */
export function describeAnswer({ serverMessage, body }: Pick<ApiError, 'serverMessage' | 'body'>): string {
  const isPage = isHtml(body)
  return (
    serverMessage ||
    (isPage ? 'a web page instead of a message, perhaps of a firewall in front of the server' : 'no message')
  )
}

/** Returns whether the server ignored the alias or domain of a link. It would ignore those of the next link too. */
export const isOtherAliasError = (error: unknown): error is OtherAliasError =>
  isShortLinkError(error) && error.code === 'invalid_response' && error.reason === 'other_alias'

/** Returns the link that the server created instead. */
export function getCreatedLink({ body }: OtherAliasError): CreatedLink {
  const { id, shorturl } = body as CreatedLink
  return { id, shorturl }
}

/** Returns whether the API says that there is no such link. */
export const isNotFound = (error: unknown): boolean =>
  isShortLinkError(error) && error.code === 'not_found' && error.isFromApi

/** Copies an error of the SDK with another outcome. */
export function copyWithOutcome<E extends Error>(error: E, outcome: Outcome): E {
  const copy = Object.setPrototypeOf(new Error(error.message), Object.getPrototypeOf(error))
  Object.defineProperties(copy, Object.getOwnPropertyDescriptors(error))
  return Object.assign(copy, { outcome })
}

/** Returns whether the server returned an existing link for a row, instead of creating one. */
export const isExistingLinkError = (error: unknown): error is OtherAliasError =>
  isOtherAliasError(error) && error.outcome === 'rejected'

/** Creates the error of a row for which the server returned an existing link, or one that may be the row's. */
export const createExistingLinkError = (
  client: TaskClient,
  link: CreatedLink,
  message: string,
  outcome: Outcome,
): InvalidResponseError => createRowError(client, link, { path: 'id', message, reason: 'other_alias', outcome })

/** Creates the error of a link that the server created with another alias, or on another domain. */
export function createStrayError(
  client: TaskClient,
  row: Pick<ImportRow<unknown>, 'params' | 'alias'>,
  stray: CreatedLink,
  date?: string,
): InvalidResponseError {
  const { domain } = row.params ?? {}
  const alias = row.alias === undefined ? 'a link' : `the alias ${formatValue(row.alias)}`
  const wanted = domain && !isOnDomain(stray, domain) ? `a link on ${domain}` : alias
  const when = date ? `, ${date}` : ''
  const message = `the server created ${stray.shorturl} (id ${stray.id}${when}) instead of ${wanted}. ${describeWayOut(row)}`
  return createRowError(client, stray, { path: 'custom', message, reason: 'other_alias', outcome: 'done' })
}

/** Says what to do about a link that the server created with another alias. */
function describeWayOut({ params }: Pick<ImportRow<unknown>, 'params'>): string {
  const isOwn = params?.custom !== undefined
  const command = isOwn ? "--no-aliases --map 'custom='" : '--no-aliases'
  const option = isOwn ? 'aliases: false, and rows without custom' : 'aliases: false'
  return `Delete it if this import made it, or let the server choose the aliases: ${command} (${option})`
}

interface RowProblem {
  readonly path: string
  readonly message: string
  readonly reason: InvalidResponseReason
  readonly outcome: Outcome
}

function createRowError(client: TaskClient, { id, shorturl }: CreatedLink, problem: RowProblem) {
  const { path, reason, outcome } = problem
  const message = client.redact(problem.message)
  const response = { reason, status: 200, body: { id, shorturl }, issues: [{ path: [path], message }] }
  return new InvalidResponseError(message, response, { method: 'POST', path: '/url/add', outcome })
}
