/** Decides which `Authorization` header a call sends, and what it keeps secret. */
import type { IssueInput } from '../errors.ts'
import { keyNames, schemeNames } from '../platform/apis.ts'

export type HeaderPair = [name: string, value: string]

const isAuthorization = ([name]: HeaderPair): boolean => name.toLowerCase() === 'authorization'

/** Returns the value of the `Authorization` header that counts: the last one. */
export const findAuthorization = (headers: readonly HeaderPair[]): string | undefined =>
  headers.filter(isAuthorization).at(-1)?.[1]

export const withoutAuthorization = (headers: readonly HeaderPair[]): HeaderPair[] =>
  headers.filter((pair) => !isAuthorization(pair))

/** Returns the credentials in all `Authorization` headers, those that do not count too. */
export const listCredentials = (headers: readonly HeaderPair[]): string[] =>
  headers.filter(isAuthorization).map(([, value]) => getCredentials(value))

/** Returns the part of an `Authorization` header that is secret, without its scheme. */
export const getCredentials = (authorization: string): string => authorization.trim().split(' ').at(-1)!

export const authorizationBesideKey: IssueInput = {
  path: ['headers'],
  message: `Authorization is set by the client, from \`${keyNames.option}\` and \`${schemeNames.option}\`: leave it out, or set \`${keyNames.option}: null\` to send your own`,
}
