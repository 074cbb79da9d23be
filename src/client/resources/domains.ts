import type * as z from 'zod/mini'
import { defineChecks, domainUrl, httpUrl } from '../checks/checks.ts'
import type { ApiPromise } from '../http/api-promise.ts'
import type { ListPromise, PageQuery } from '../http/list.ts'
import { path } from '../http/path.ts'
import type { RequestOptions } from '../http/request-options.ts'
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
    return this.api.list(path`/domains`, { query, under: 'domains', row: Domain }, options)
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
    return this.api.post(path`/domain/add`, { json: params, checks: domainCreate, schema: Created }, options)
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
    return this.api.put(
      path`/domain/${{ id }}/update`,
      { json: params, checks: domainUpdate, schema: ActionResult },
      options,
    )
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
    return this.api.delete(path`/domain/${{ id }}/delete`, { schema: ActionResult }, options)
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
