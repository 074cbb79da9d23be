import type * as z from 'zod/v4/mini'
import { defineChecks, httpUrl, oneOf } from '../checks/checks.ts'
import type { ApiPromise } from '../http/api-promise.ts'
import type { RequestOptions } from '../http/request-options.ts'
import { defineCall } from '../platform/define.ts'
import { integer, list, object, openText, text, textOrEmpty } from '../platform/values.ts'
import { Resource } from './resource.ts'

/** The app-opener API: short links that open in the matching app. */
export class OpenerResource extends Resource {
  /**
   * Creates a short link that opens a URL in its app: POST `{openerUrl}/v3/api`.
   *
   * The response is the link itself, without the envelope of the management API. In a refusal, `error` is `1` or a
   * text. The reference does not list the supported apps or any rate headers. It does not say where this API expects a
   * key either; its samples send none.
   *
   * @example
   * const { shorturl, devicetarget } = await client.opener.create({ url: 'https://www.youtube.com/watch?v=aqz-KE-bpKQ' })
   * console.log(shorturl, devicetarget)
   *
   * @throws {InvalidRequestError} if the URL is not absolute; nothing is sent
   * @throws {ApiError} if the URL belongs to no supported app
   * @throws {ConfigurationError} if `openerUrl` is not set
   */
  create(params: OpenerLinkCreate, options?: RequestOptions): ApiPromise<OpenerLink> {
    return this.api.call(calls.create, { body: params }, options)
  }
}

const openerStatuses = ['public', 'private'] as const

const openerCreate = /* @__PURE__ */ defineChecks<OpenerLinkCreate>(
  { url: httpUrl },
  { status: /* @__PURE__ */ oneOf(openerStatuses) },
)

/** Who can see the analytics of an app-opener link. */
export type OpenerLinkStatus = (typeof openerStatuses)[number]

/** The link for one kind of device. */
export interface DeviceTarget extends z.infer<typeof DeviceTarget> {}

export const DeviceTarget = /* @__PURE__ */ object({
  /** `iPhone`, `iPad`, `Android` and others. */
  device: text,
  /** A link with an app scheme, or an Android intent. */
  link: text,
})

/** A short link that opens in an app. */
export interface OpenerLink extends z.infer<typeof OpenerLink> {}

export const OpenerLink = /* @__PURE__ */ object({
  id: integer,
  shorturl: text,
  /** `public`: anyone with the link can see its analytics. `private`: only the owner can. */
  status: /* @__PURE__ */ openText<OpenerLinkStatus>(),
  /** The app that the URL belongs to. */
  provider: text,
  /** The domain of the short link. */
  domain: text,
  /** The link for each kind of device. */
  devicetarget: /* @__PURE__ */ list<DeviceTarget>(DeviceTarget),
  /** An attribution; `''` if there is none. */
  'powered-by': textOrEmpty,
})

/** Parameters for creating an app-opener link. */
export interface OpenerLinkCreate {
  /** An absolute URL, including `https://`. */
  url: string | URL
  /** Who can see the analytics. Default on the server: `private`. */
  status?: OpenerLinkStatus | undefined
}

/** The calls of this file's methods, by method. */
export const calls = {
  create: /* @__PURE__ */ defineCall('POST /v3/api', { api: 'opener', body: openerCreate, result: OpenerLink }),
}
