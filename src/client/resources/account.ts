import type * as z from 'zod/v4/mini'
import { defineChecks, secret, string } from '../checks/checks.ts'
import type { ApiPromise } from '../http/api-promise.ts'
import type { RequestOptions } from '../http/request-options.ts'
import { defineCall } from '../platform/define.ts'
import { integer, object, text, textOrNull } from '../platform/values.ts'
import { ActionResult, Resource } from './resource.ts'

/** The account that the API key belongs to. */
export class AccountResource extends Resource {
  /**
   * Gets the account: GET `/account`.
   *
   * The account is under `data` in the response. On a plan that never expires, `expires` is `null`, empty or left out.
   *
   * @example
   * const { email, status } = await client.account.get()
   * console.log(email, status)
   *
   * @throws {AuthenticationError} if the server refuses the key
   */
  get(options?: RequestOptions): ApiPromise<Account> {
    return this.api.call(calls.get, {}, options)
  }

  /**
   * Updates the email address, the password or both: PUT `/account/update`.
   *
   * The reference does not say whether either parameter is required.
   *
   * @example
   * const { message } = await client.account.update({ email: 'owner@shop.example' })
   * console.log(message)
   *
   * @throws {InvalidRequestError} if a parameter is not a string; nothing is sent
   */
  update(params: AccountUpdate, options?: RequestOptions): ApiPromise<ActionResult> {
    return this.api.call(calls.update, { body: params }, options)
  }
}

const accountUpdate = /* @__PURE__ */ defineChecks<AccountUpdate>({}, { email: string, password: secret })

/** An account. */
export interface Account extends z.infer<typeof Account> {}

export const Account = /* @__PURE__ */ object({
  id: integer,
  email: text,
  username: text,
  /** The URL of a picture; `null` if there is none. */
  avatar: textOrNull,
  /** The status of the plan, such as `pro`. */
  status: text,
  /** When the plan ends, `YYYY-MM-DD HH:MM:SS` in the server's time zone; `null` if it never does. */
  expires: textOrNull,
  /** When the account was created, `YYYY-MM-DD HH:MM:SS` in the server's time zone. */
  registered: text,
})

/** Parameters for updating the account. */
export interface AccountUpdate {
  email?: string | undefined
  password?: string | undefined
}

/** The calls of this file's methods, by method. */
export const calls = {
  get: /* @__PURE__ */ defineCall('GET /account', { result: Account, dataKey: 'data' }),
  update: /* @__PURE__ */ defineCall('PUT /account/update', { body: accountUpdate, result: ActionResult }),
}
