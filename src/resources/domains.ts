import { flat } from '../answers/open.ts'
import { readActionResult, readCreated, readDomain } from '../answers/readers.ts'
import type { ApiPromise } from '../http/api-promise.ts'
import type { ListOptions, ListPromise, PageQuery } from '../http/pagination.ts'
import { path } from '../http/path.ts'
import type { Transport } from '../http/transport.ts'
import type { RequestOptions } from '../options.ts'
import { type Checks, domain, httpUrl } from '../schema/params.ts'
import type { ActionResult, Created } from './results.ts'

/** Branded domains, on which short links stand. @see reference, “Branded domains” */
export class DomainsResource {
  readonly #api: Transport

  /** @internal */
  constructor(api: Transport) {
    this.#api = api
  }

  /** The domains of the account. @see reference, “Branded domains”: GET `/domains` */
  list(query?: PageQuery, options?: ListOptions): ListPromise<Domain> {
    return this.#api.list({ path: path`/domains`, listKeys: ['domains'], read: readDomain }, query, options)
  }

  /**
   * Adds a domain, which must point to the service already. @see reference, “Branded domains”: POST `/domain/add`
   * @throws {InvalidRequestError} for a domain without its scheme or an address that is none; nothing is sent
   */
  create(params: DomainCreate, options?: RequestOptions): ApiPromise<Created> {
    return this.#api.call(
      { method: 'POST', path: path`/domain/add`, json: params, checks, required: ['domain'], open: flat(readCreated) },
      options,
    )
  }

  /** Changes where a domain leads. @see reference, “Branded domains”: PUT `/domain/:id/update` */
  update(id: number, params: DomainUpdate, options?: RequestOptions): ApiPromise<ActionResult> {
    return this.#api.call(
      { method: 'PUT', path: path`/domain/${{ id }}/update`, json: params, checks, open: flat(readActionResult) },
      options,
    )
  }

  /** Deletes a domain. @see reference, “Branded domains”: DELETE `/domain/:id/delete` */
  delete(id: number, options?: RequestOptions): ApiPromise<ActionResult> {
    return this.#api.call(
      { method: 'DELETE', path: path`/domain/${{ id }}/delete`, open: flat(readActionResult) },
      options,
    )
  }
}

const checks: Checks = { domain, redirectroot: httpUrl, redirect404: httpUrl }

/** A branded domain. @see reference, “Branded domain” */
export interface Domain {
  id: number
  /** The domain with its scheme, such as `https://go.example`. */
  domain: string
  /** Where a visit to the root of the domain leads; `null` where none is set. */
  redirectroot: string | null
  /** Where a visit to an unknown address leads; `null` where none is set. */
  redirect404: string | null
}

/** What can be changed about a domain. */
export interface DomainUpdate {
  /** Where a visit to the root of the domain leads: an absolute URL; `''` or `null` takes it away. */
  redirectroot?: string | null
  /** Where a visit to an unknown address leads: an absolute URL; `''` or `null` takes it away. */
  redirect404?: string | null
}

/** A domain to add. */
export interface DomainCreate extends DomainUpdate {
  /** The domain with its scheme, such as `https://go.example`. */
  domain: string
}
