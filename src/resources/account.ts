import { data, flat } from '../answers/open.ts'
import { readAccount, readActionResult } from '../answers/readers.ts'
import type { ApiPromise } from '../http/api-promise.ts'
import { path } from '../http/path.ts'
import type { Transport } from '../http/transport.ts'
import type { RequestOptions } from '../options.ts'
import { type Checks, string } from '../schema/params.ts'
import type { ActionResult } from './results.ts'

/** The account that the key belongs to. @see reference, “Account” */
export class AccountResource {
  readonly #api: Transport

  /** @internal */
  constructor(api: Transport) {
    this.#api = api
  }

  /** The account. @see reference, “Account”: GET `/account` */
  get(options?: RequestOptions): ApiPromise<Account> {
    return this.#api.call({ method: 'GET', path: path`/account`, open: data(readAccount) }, options)
  }

  /**
   * Changes the email address, the password or both. @see reference, “Account”: PUT `/account/update`
   * @throws {InvalidRequestError} for a parameter that does not fit; nothing is sent
   */
  update(params: AccountUpdate, options?: RequestOptions): ApiPromise<ActionResult> {
    return this.#api.call(
      { method: 'PUT', path: path`/account/update`, json: params, checks, open: flat(readActionResult) },
      options,
    )
  }
}

const checks: Checks = { email: string, password: string }

/** An account. @see reference, “Account” */
export interface Account {
  id: number
  email: string
  username: string
  /** The address of a picture; `null` where there is none. */
  avatar: string | null
  /** The status of the plan. */
  status: string
  /** When the plan ends, `YYYY-MM-DD HH:MM:SS` in the server's own zone; `null` on a plan without end. */
  expires: string | null
  /** When the account was made, `YYYY-MM-DD HH:MM:SS` in the server's own zone. */
  registered: string
}

/** What can be changed about an account. */
export interface AccountUpdate {
  email?: string
  password?: string
}
