/** Classifies and creates the errors of links that an import or a sync creates. */
import {
  type ApiError,
  type CreatedLink,
  InvalidResponseError,
  type InvalidResponseReason,
  isShortLinkError,
  LinkConflictError,
  type Outcome,
  PermissionError,
} from 'shortlink-sdk'
import { isRecord } from '../text.ts'
import type { TaskClient } from './client.ts'

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
  const { serverMessage, status, method = '', path = '', url = '', attempts, outcome } = error
  const message = `${status} ${serverMessage || 'no message'}`
  return new PermissionError(message, error, { method, path, url, attempts, outcome })
}

/** The error of a link that the server created with a different alias or domain than requested. */
type OtherAliasError = InvalidResponseError & { readonly reason: 'other_alias' }

/** Returns whether the server ignored the alias or domain of a link. It would ignore those of the next link too. */
export const isOtherAliasError = (error: unknown): error is OtherAliasError =>
  isShortLinkError(error) && error.code === 'invalid_response' && error.reason === 'other_alias'

/** Returns the link that the server created instead. */
export function getCreatedLink({ body }: OtherAliasError): CreatedLink {
  const { id, shorturl } = body as CreatedLink
  return { id, shorturl }
}

/** Creates the error of a row for which the server returned a link to another address. */
export const createOtherAddressError = (
  client: TaskClient,
  link: CreatedLink,
  description: string,
): InvalidResponseError =>
  createRowError(client, link, {
    path: 'id',
    message: `the server returned ${description}`,
    reason: 'schema',
    outcome: 'unknown',
  })

/** Creates the error of a link that the server created on another domain. */
export const createOtherDomainError = (client: TaskClient, link: CreatedLink, domain: string): InvalidResponseError =>
  createRowError(client, link, {
    path: 'domain',
    message: `the server created ${link.shorturl} (id ${link.id}) instead of a link on ${domain}`,
    reason: 'other_alias',
    outcome: 'done',
  })

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
