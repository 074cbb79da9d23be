import { flat } from '../answers/open.ts'
import { readOpenerLink } from '../answers/readers.ts'
import type { ApiPromise } from '../http/api-promise.ts'
import { path } from '../http/path.ts'
import type { Transport } from '../http/transport.ts'
import type { RequestOptions } from '../options.ts'
import { type Checks, httpUrl } from '../schema/params.ts'

/** The app-opener API: links that open inside the matching app. @see reference, “App-opener endpoint” */
export class OpenerResource {
  readonly #api: Transport

  /** @internal */
  constructor(api: Transport) {
    this.#api = api
  }

  /**
   * Makes a short link that opens a URL inside the app it belongs to.
   * @see reference, “App-opener endpoint”: POST `{openerUrl}/v3/api`
   * @throws {InvalidRequestError} for what is no absolute URL; nothing is sent
   */
  create(params: OpenerLinkCreate, options?: RequestOptions): ApiPromise<OpenerLink> {
    return this.#api.call(
      {
        api: 'opener',
        method: 'POST',
        path: path`/v3/api`,
        json: params,
        checks,
        required: ['url'],
        open: flat(readOpenerLink),
      },
      options,
    )
  }
}

const statuses = ['public', 'private'] as const

const checks: Checks = { url: httpUrl, status: statuses }

/** Who may see the analytics of an app-opener link. */
export type OpenerLinkStatus = (typeof statuses)[number]

/** A link that opens inside an app. @see reference, “App-opener link” */
export interface OpenerLink {
  id: number
  shorturl: string
  /** `public`: everybody who has the link may see its analytics; `private`: nobody else. */
  status: OpenerLinkStatus | (string & {})
  /** The app that was recognised. */
  provider: string
  /** The domain of the short link. */
  domain: string
  /** Where each kind of device is led. */
  devicetarget: DeviceTarget[]
  /** An attribution; `''` where there is none. */
  'powered-by': string
}

/** Where a kind of device is led. */
export interface DeviceTarget {
  /** `iPhone`, `iPad`, `Android` and others. */
  device: string
  /** An app-scheme or intent link. */
  link: string
}

/** A link to make. */
export interface OpenerLinkCreate {
  /** A full URL with its `https://`. */
  url: string
  /** Who may see its analytics. Default on the server: `private`. */
  status?: OpenerLinkStatus
}
