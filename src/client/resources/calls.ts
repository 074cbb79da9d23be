/** The registry of all calls, for the proxy, the OpenAPI document and tests. The client itself does not import it. */
import type { AnyCallDefinition } from '../definition.ts'
import { calls as account } from './account.ts'
import { calls as campaigns } from './campaigns.ts'
import { calls as channels } from './channels.ts'
import { calls as domains } from './domains.ts'
import { calls as files } from './files.ts'
import { calls as links } from './links.ts'
import { calls as opener } from './opener.ts'
import { calls as overlays } from './overlays.ts'
import { calls as pixels } from './pixels.ts'
import { calls as qr } from './qr.ts'
import { calls as splash } from './splash.ts'

/** The lines of some calls. A union of calls gives a union of lines. */
type LineOf<Calls> = Calls extends Readonly<Record<keyof Calls, { readonly line: infer Line }>> ? Line : never

/** The calls of the management API, as the reference writes them. */
export type ManagementLine = LineOf<
  | typeof links
  | typeof account
  | typeof domains
  | typeof overlays
  | typeof campaigns
  | typeof channels
  | typeof splash
  | typeof files
  | typeof pixels
  | typeof qr
>

/** The calls of the app-opener API. */
export type OpenerLine = LineOf<typeof opener>

/** The calls by resource and method. */
export const registry: Readonly<Record<string, Readonly<Record<string, AnyCallDefinition>>>> = {
  links,
  account,
  domains,
  overlays,
  campaigns,
  channels,
  splash,
  files,
  pixels,
  qr,
  opener,
}
