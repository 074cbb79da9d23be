import { structuredClone } from './globals.ts'

// These classes define the fields with their defaults, and the types of the rows. Rows are plain copies of instances.
// The store fills in the `date`, and the `domain` and `alias` of a short address.

export class SandboxAccount {
  id = 1
  email = 'owner@shop.example'
  username = 'owner'
  avatar = 'https://shop.example/avatar.png'
  status = 'pro'
  /** When the plan ends, `YYYY-MM-DD HH:MM:SS`. */
  expires = '2030-01-01 00:00:00'
  /** When the account was created, `YYYY-MM-DD HH:MM:SS`. */
  registered = '2024-03-09 08:30:00'
  /** Set by an account update. No response contains it. */
  password = ''
}

class Row {
  id: number

  constructor(id: number) {
    this.id = id
  }
}

export class SandboxDomain extends Row {
  /** The domain with its scheme, such as `https://brand.example`. */
  domain = `https://brand-${this.id}.example`
  redirectroot = ''
  redirect404 = ''
}

export class SandboxOverlay extends Row {
  type = 'message'
  name = `Overlay ${this.id}`
  date = ''
}

export class SandboxCampaign extends Row {
  name = ''
  /** The last part of the rotator's address; `''` for none. */
  slug = ''
  public = false
  /** The ids of the links assigned to it. */
  links: number[] = []
}

/** The types of items in a channel: links, bio pages and QR codes. */
export type SandboxItemType = 'links' | 'bio' | 'qr'

export class SandboxChannel extends Row {
  name = `Channel ${this.id}`
  description = ''
  color = '#1f6feb'
  starred = false
  items: { type: SandboxItemType; id: number }[] = []
}

export class SandboxSplash extends Row {
  name = `Splash page ${this.id}`
  date = ''
}

/** A row with a short address: `{domain}/{alias}`. */
class AddressedRow extends Row {
  /** The domain with its scheme. */
  domain = ''
  alias = ''
}

export class SandboxFile extends AddressedRow {
  name = `file-${this.id}.txt`
  filename = `file-${this.id}.txt`
  /** The size in bytes. */
  size = 0
  content: Uint8Array = new Uint8Array()
  downloads = 0
  /** The password for a download; `''` for none. */
  password = ''
  /** The last day of download, `YYYY-MM-DD`; `''` for none. */
  expiry = ''
  /** The maximum number of downloads; 0 for none. */
  maxdownloads = 0
  date = ''
}

/**
 * The statistics of a link or a QR code: the number of visitors, and the visits by country, site, browser and system.
 */
class VisitedRow extends AddressedRow {
  uniqueclicks = 0
  topCountries: Record<string, number> = {}
  topReferrers: Record<string, number> = {}
  topBrowsers: Record<string, number> = {}
  topOs: Record<string, number> = {}
}

export type VisitCounts = Omit<VisitedRow, keyof AddressedRow>

/** A short link. The reference does not show links: these are the fields that public documentation agrees on. */
export class SandboxLink extends VisitedRow {
  longurl = `https://shop.example/${this.id}`
  title = `Link ${this.id}`
  description = ''
  clicks = 0
  /** The password for visitors; `''` for none. */
  password = ''
  /** When it expires, `YYYY-MM-DD HH:MM:SS`; `''` for never. */
  expiry = ''
  /** `direct`, `frame`, `splash`, or the id of an overlay or a custom splash page. */
  type = 'direct'
  status = 'private'
  metatitle = ''
  metadescription = ''
  metaimage = ''
  /** The ids of its pixels. */
  pixels: number[] = []
  deeplink: Record<string, unknown> | null = null
  geotarget: { location: string; link: string }[] = []
  devicetarget: { device: string; link: string }[] = []
  languagetarget: { language: string; link: string }[] = []
  /** The parameters to add to the query of the address. */
  parameters: { name: string; value: string }[] = []
  date = ''
}

export class SandboxBio extends AddressedRow {
  title = `Bio page ${this.id}`
  date = ''
}

export class SandboxPixel extends Row {
  type = 'gtmpixel'
  name = `Pixel ${this.id}`
  tag = `GTM-${this.id}`
  date = ''
}

export class SandboxQrCode extends VisitedRow {
  name = `QR code ${this.id}`
  type = 'link'
  data: unknown = `https://shop.example/${this.id}`
  background = 'rgb(255,255,255)'
  foreground = 'rgb(0,0,0)'
  logo = ''
  scans = 0
  date = ''
}

export class SandboxOpenerLink extends Row {
  url = 'https://www.youtube.com/'
  status: 'public' | 'private' = 'private'
  provider = 'YouTube'
  alias = ''
}

const rowTypes = {
  domains: SandboxDomain,
  overlays: SandboxOverlay,
  campaigns: SandboxCampaign,
  channels: SandboxChannel,
  splash: SandboxSplash,
  files: SandboxFile,
  links: SandboxLink,
  bios: SandboxBio,
  pixels: SandboxPixel,
  qrs: SandboxQrCode,
  openerLinks: SandboxOpenerLink,
}

/** The lists of {@link SandboxData}, by name. */
export type SandboxListName = keyof typeof rowTypes

/** The data of the sandbox: one list per resource, with plain rows that a test can read, add and change. */
export type SandboxData = { account: SandboxAccount } & {
  [List in SandboxListName]: InstanceType<(typeof rowTypes)[List]>[]
}

/** Initial rows. Missing fields, the id included, get defaults. Links can have `url` instead of `longurl`. */
export type SandboxSeed = {
  account?: Partial<SandboxAccount>
  links?: readonly (Partial<SandboxLink> & { url?: string })[]
} & { [List in Exclude<SandboxListName, 'links'>]?: readonly Partial<SandboxData[List][number]>[] }

export const listNames = Object.keys(rowTypes) as SandboxListName[]

/** Lists the fields that the rows of a list, or the account, can have. */
export function listFields(list: SandboxListName | 'account'): string[] {
  const blank = list === 'account' ? new SandboxAccount() : new rowTypes[list](1)
  return [...Object.keys(blank), ...(list === 'links' ? ['url'] : [])]
}

/** Formats a time as `YYYY-MM-DD HH:MM:SS` in UTC. */
function formatDateTime(time: number): string {
  return new Date(time).toISOString().slice(0, 19).replace('T', ' ')
}

function normalizeLink({ url, ...row }: NonNullable<SandboxSeed['links']>[number]): Partial<SandboxLink> {
  return url === undefined ? row : { longurl: url, ...row }
}

/** Holds the rows, and adds new ones. */
export class Store {
  readonly data = {} as SandboxData
  readonly #seed: SandboxSeed
  readonly #site: string
  readonly #now: () => number
  readonly #lastIds = new Map<SandboxListName, number>()

  /** @param site The default domain of short addresses. */
  constructor(seed: SandboxSeed, site: string, now: () => number) {
    this.#seed = seed
    this.#site = site
    this.#now = now
    this.reset()
  }

  /** Adds a row with the next id. Missing fields get defaults. */
  add<List extends SandboxListName>(
    list: List,
    { id = this.#nextId(list), ...given }: Partial<SandboxData[List][number]>,
  ): SandboxData[List][number] {
    const blank = new rowTypes[list](id)
    const row = {
      ...blank,
      ...('date' in blank && { date: formatDateTime(this.#now()) }),
      // The same list and id always give the same alias, so that tests can rely on it.
      ...('alias' in blank && { alias: list.charAt(0) + (id * 7919 + 46_656).toString(36) }),
      ...(blank instanceof AddressedRow && { domain: this.#site }),
      ...given,
    } as SandboxData[List][number]
    const rows: SandboxData[List][number][] = this.data[list]
    rows.push(row)
    return row
  }

  /** Restores the initial rows. */
  reset(): void {
    this.#lastIds.clear()
    this.data.account = { ...new SandboxAccount(), ...this.#seed.account }
    for (const list of listNames) {
      this.data[list] = []
      let lastId = 0
      for (const row of this.#seed[list] ?? []) {
        // Each row is cloned separately, because one clone of all rows would keep objects that they share.
        const copy = structuredClone(row)
        const { id } = this.add(list, { id: lastId + 1, ...(list === 'links' ? normalizeLink(copy) : copy) })
        lastId = Math.max(lastId, id)
      }
    }
  }

  /** Returns an id that no row of the list has had, not even a deleted one. */
  #nextId(list: SandboxListName): number {
    const ids = this.data[list].map(({ id }) => id)
    const id = ids.reduce((highest, one) => Math.max(highest, one), this.#lastIds.get(list) ?? 0) + 1
    this.#lastIds.set(list, id)
    return id
  }
}
