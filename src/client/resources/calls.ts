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

/** A call that a method of the client makes. Calls of the app-opener API are below `/opener`. */
export type KnownCall =
  | (typeof links)[keyof typeof links]['line']
  | (typeof account)[keyof typeof account]['line']
  | (typeof domains)[keyof typeof domains]['line']
  | (typeof overlays)[keyof typeof overlays]['line']
  | (typeof campaigns)[keyof typeof campaigns]['line']
  | (typeof channels)[keyof typeof channels]['line']
  | (typeof splash)[keyof typeof splash]['line']
  | (typeof files)[keyof typeof files]['line']
  | (typeof pixels)[keyof typeof pixels]['line']
  | (typeof qr)[keyof typeof qr]['line']
  | ((typeof opener)[keyof typeof opener]['line'] extends `${infer Method} ${infer Path}`
      ? `${Method} /opener${Path}`
      : never)

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
