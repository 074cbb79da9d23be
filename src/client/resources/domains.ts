import type * as z from 'zod/v4/mini'
import { defineChecks, domainUrl, httpUrl } from '../checks/checks.ts'
import type { PageQuery } from '../definition.ts'
import type { ApiPromise } from '../http/api-promise.ts'
import type { ListPromise } from '../http/list.ts'
import type { RequestOptions } from '../http/request-options.ts'
import { defineCall, defineList } from '../platform/define.ts'
import { integer, object, text, textOrNull } from '../platform/values.ts'
import { ActionResult, Created, type Id, Resource } from './resource.ts'

/** Branded domains: your own domains for short links. */
export class DomainsResource extends Resource {
  /**
   * Lists the domains of the account: GET `/domains`.
   *
   * A redirect that is not set is `null`, empty or left out in the response.
   *
   * @example
   * for await (const { id, domain } of client.domains.list()) console.log(id, domain)
   */
  list(query?: PageQuery, options?: RequestOptions): ListPromise<Domain> {
    return this.api.list(calls.list, { query }, options)
  }

  /**
   * Adds a domain: POST `/domain/add`. Its DNS must already point to the platform.
   *
   * @example
   * const { id } = await client.domains.create({ domain: 'https://go.example', redirect404: 'https://shop.example' })
   * console.log(id)
   *
   * @throws {InvalidRequestError} if the domain has no scheme, or a redirect is not an absolute URL; nothing is sent
   * @throws {ApiError} if the domain is taken, or its DNS does not point to the platform
   */
  create(params: DomainCreate, options?: RequestOptions): ApiPromise<Created> {
    return this.api.call(calls.create, { body: params }, options)
  }

  /**
   * Updates the redirects of a domain: PUT `/domain/:id/update`.
   *
   * The domain itself cannot be changed.
   *
   * @example
   * const { message } = await client.domains.update(2, { redirectroot: 'https://shop.example', redirect404: null })
   * console.log(message)
   *
   * @throws {InvalidRequestError} if a redirect is not an absolute URL; nothing is sent
   * @throws {NotFoundError} if there is no such domain
   */
  update(id: Id, params: DomainUpdate, options?: RequestOptions): ApiPromise<ActionResult> {
    return this.api.call(calls.update, { path: { id }, body: params }, options)
  }

  /**
   * Deletes a domain: DELETE `/domain/:id/delete`.
   *
   * @example
   * const { message } = await client.domains.delete(2)
   * console.log(message)
   *
   * @throws {NotFoundError} if there is no such domain
   */
  delete(id: Id, options?: RequestOptions): ApiPromise<ActionResult> {
    return this.api.call(calls.delete, { path: { id } }, options)
  }
}

const redirects = { redirectroot: httpUrl, redirect404: httpUrl }

const domainCreate = /* @__PURE__ */ defineChecks<DomainCreate>({ domain: domainUrl }, redirects)

const domainUpdate = /* @__PURE__ */ defineChecks<DomainUpdate>({}, redirects)

/** A branded domain. */
export interface Domain extends z.infer<typeof Domain> {}

export const Domain = /* @__PURE__ */ object({
  id: integer,
  /** The domain with its scheme, such as `https://go.example`. */
  domain: text,
  /** The URL that visits to the root of the domain are redirected to; `null` if none is set. */
  redirectroot: textOrNull,
  /** The URL that visits to unknown paths are redirected to; `null` if none is set. */
  redirect404: textOrNull,
})

/** Parameters for updating a domain. */
export interface DomainUpdate {
  /** The absolute URL that visits to the root of the domain are redirected to; `''` or `null` removes it. */
  redirectroot?: string | URL | null | undefined
  /** The absolute URL that visits to unknown paths are redirected to; `''` or `null` removes it. */
  redirect404?: string | URL | null | undefined
}

/** Parameters for creating a domain. */
export interface DomainCreate extends DomainUpdate {
  /** The domain with its scheme, such as `https://go.example`. */
  domain: string
}

/** The calls of this file's methods, by method. */
export const calls = {
  list: /* @__PURE__ */ defineList('GET /domains', { listKey: 'domains', row: Domain }),
  create: /* @__PURE__ */ defineCall('POST /domain/add', { body: domainCreate, result: Created }),
  update: /* @__PURE__ */ defineCall('PUT /domain/:id/update', { body: domainUpdate, result: ActionResult }),
  delete: /* @__PURE__ */ defineCall('DELETE /domain/:id/delete', { result: ActionResult }),
}
