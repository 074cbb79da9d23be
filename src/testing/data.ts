import { structuredClone } from './host.ts'
import { type Check, checkOptions, object } from './options.ts'

/** The data of the sandbox: one list per resource, with plain rows that a test can read, add and change. */
export interface SandboxData {
  account: AccountRow
  domains: DomainRow[]
  overlays: OverlayRow[]
  campaigns: CampaignRow[]
  channels: ChannelRow[]
  splash: SplashRow[]
  files: FileRow[]
  links: LinkRow[]
  bios: BioRow[]
  pixels: PixelRow[]
  qrs: QrRow[]
  openerLinks: OpenerLinkRow[]
}

/** The lists of {@link SandboxData}, by name. */
export type ListName = Exclude<keyof SandboxData, 'account'>

/** Initial rows. Missing fields, the id included, get defaults. */
export type SandboxSeed = { account?: Partial<AccountRow> } & {
  [List in ListName]?: readonly Partial<SandboxData[List][number]>[]
}

/** Rows for every list, and the whole account. */
export type WholeSeed = Required<SandboxSeed> & { account: AccountRow }

export interface AccountRow {
  id: number
  email: string
  username: string
  avatar: string
  status: string
  /** `YYYY-MM-DD HH:MM:SS` */
  expires: string
  /** `YYYY-MM-DD HH:MM:SS` */
  registered: string
  /** Set by an account update. No response contains it. */
  password: string
}

export interface DomainRow {
  id: number
  /** With its scheme, as in `https://brand.example`. */
  domain: string
  redirectroot: string | null
  redirect404: string | null
}

export interface OverlayRow {
  id: number
  type: string
  name: string
  date: string
}

export interface CampaignRow {
  id: number
  name: string
  /** The last part of the rotator's address; `''` for none. */
  slug: string
  public: boolean
  /** Ids of the links assigned to it. */
  links: number[]
}

export interface ChannelRow {
  id: number
  name: string
  description: string
  color: string
  starred: boolean
  items: { type: ItemType; id: number }[]
}

/** What a channel can hold: links, bio pages and QR codes. */
export type ItemType = 'links' | 'bio' | 'qr'

export interface SplashRow {
  id: number
  name: string
  date: string
}

/** The parts of a short address: `{domain}/{alias}`. */
interface ShortAddress {
  /** With its scheme. */
  domain: string
  alias: string
}

export interface FileRow extends ShortAddress {
  id: number
  name: string
  filename: string
  /** In bytes. */
  size: number
  /** The bytes; empty with `keepFiles: false`. */
  content: Uint8Array
  downloads: number
  /** Needed to download it; `''` for none. */
  password: string
  /** Last day of download, `YYYY-MM-DD`; `''` for none. */
  expiry: string
  /** 0 for no maximum. */
  maxdownloads: number
  date: string
}

/** A short link. The reference does not show links: these are the fields that public documentation agrees on. */
export interface LinkRow extends ShortAddress {
  id: number
  url: string
  title: string
  description: string
  clicks: number
  /** The visits that the statistics are counted from; `clicks` may count more. */
  visits: Visit[]
  /** Needed to open it; `''` for none. */
  password: string
  /** `YYYY-MM-DD HH:MM:SS`, when it expires; `''` for never. */
  expiry: string
  /** `direct`, `frame`, `splash`, or the id of an overlay or a custom splash page. */
  type: string
  status: string
  metatitle: string
  metadescription: string
  metaimage: string
  /** Ids. */
  pixels: number[]
  deeplink: Record<string, unknown> | null
  geotarget: { location: string; link: string }[]
  devicetarget: { device: string; link: string }[]
  languagetarget: { language: string; link: string }[]
  /** Added to the query of the address. */
  parameters: { name: string; value: string }[]
  date: string
}

export interface BioRow extends ShortAddress {
  id: number
  title: string
  date: string
}

export interface PixelRow {
  id: number
  type: string
  name: string
  tag: string
  date: string
}

export interface QrRow extends ShortAddress {
  id: number
  name: string
  type: string
  data: unknown
  background: string
  foreground: string
  logo: string
  /** Every scan; the statistics are counted from these. */
  scans: Visit[]
  date: string
}

/** One visit of a link, or one scan of a QR code. */
export interface Visit {
  /** Visits with the same visitor count once in `uniqueClicks`. */
  visitor: string
  country: string
  referrer: string
  browser: string
  os: string
}

export interface OpenerLinkRow {
  id: number
  url: string
  status: 'public' | 'private'
  provider: string
  alias: string
}

/** The defaults of a new row. */
function blankRow<List extends ListName>(
  list: List,
  id: number,
  { site, date }: { site: string; date: string },
): SandboxData[List][number] {
  const short = { domain: site, alias: aliasOf(list, id) }
  const blanks: { [Name in ListName]: SandboxData[Name][number] } = {
    domains: { id, domain: `https://brand-${id}.example`, redirectroot: '', redirect404: '' },
    overlays: { id, type: 'message', name: `Overlay ${id}`, date },
    campaigns: { id, name: '', slug: '', public: false, links: [] },
    channels: { id, name: `Channel ${id}`, description: '', color: '#1f6feb', starred: false, items: [] },
    splash: { id, name: `Splash page ${id}`, date },
    files: {
      id,
      name: `file-${id}.txt`,
      filename: `file-${id}.txt`,
      size: 0,
      content: new Uint8Array(),
      downloads: 0,
      ...short,
      password: '',
      expiry: '',
      maxdownloads: 0,
      date,
    },
    links: {
      id,
      title: `Link ${id}`,
      url: `https://shop.example/${id}`,
      description: '',
      clicks: 0,
      visits: [],
      ...short,
      password: '',
      expiry: '',
      type: 'direct',
      status: 'private',
      metatitle: '',
      metadescription: '',
      metaimage: '',
      pixels: [],
      deeplink: null,
      geotarget: [],
      devicetarget: [],
      languagetarget: [],
      parameters: [],
      date,
    },
    bios: { id, title: `Bio page ${id}`, ...short, date },
    pixels: { id, type: 'gtmpixel', name: `Pixel ${id}`, tag: `GTM-${id}`, date },
    qrs: {
      id,
      name: `QR code ${id}`,
      type: 'link',
      data: `https://shop.example/${id}`,
      background: 'rgb(255,255,255)',
      foreground: 'rgb(0,0,0)',
      logo: '',
      scans: [],
      ...short,
      date,
    },
    openerLinks: { id, url: 'https://www.youtube.com/', status: 'private', provider: 'YouTube', alias: short.alias },
  }
  return blanks[list]
}

/** The given rows, and samples for the other lists. Samples refer to samples alone: a given row with the same id is another one. */
export function seedOf(given: SandboxSeed, samples: WholeSeed): WholeSeed {
  const { links, bios: bio, qrs: qr } = given
  const isGiven = { links, bio, qr }
  return {
    ...samples,
    campaigns: samples.campaigns.map((campaign) => (links ? { ...campaign, links: [] } : campaign)),
    channels: samples.channels.map(({ items = [], ...channel }) => ({
      ...channel,
      items: items.filter(({ type }) => !isGiven[type]),
    })),
    ...given,
    account: { ...samples.account, ...given.account },
  }
}

/** Rejects unknown lists and fields. */
export function checkSeed(seed: SandboxSeed, { account, ...samples }: WholeSeed): void {
  const list: Check = { expected: 'a list of rows', fits: Array.isArray }
  const lists = Object.keys(samples) as ListName[]
  const checks = Object.fromEntries(lists.map((name) => [name, list]))
  checkOptions<object>('data.', seed, { ...checks, account: object })
  checkOptions<object>('data.account.', seed.account ?? {}, anyOf(account))
  for (const name of lists) {
    const fields = anyOf(blankRow(name, 1, { site: '', date: '' }))
    for (const [index, row] of (seed[name] ?? []).entries())
      checkOptions<object>(`data.${name}[${index}].`, row, fields)
  }
}

/** Any value for each of these fields. */
function anyOf(fields: object): Record<string, Check> {
  const any: Check = { expected: 'a value', fits: () => true }
  return Object.fromEntries(Object.keys(fields).map((name) => [name, any]))
}

/** The same list and id always give the same alias, so that tests can rely on it. */
function aliasOf(list: ListName, id: number): string {
  return `${list.charAt(0)}${(id * 7919 + 46_656).toString(36)}`
}

/** `YYYY-MM-DD HH:MM:SS`, in UTC. */
export function dateTime(time: number): string {
  return new Date(time).toISOString().slice(0, 19).replace('T', ' ')
}

/** Holds the rows, and adds new ones. */
export class Store {
  readonly data = {} as SandboxData
  readonly #seed: WholeSeed
  readonly #site: string
  readonly #now: () => number
  readonly #lastIds = new Map<ListName, number>()

  constructor(seed: WholeSeed, site: string, now: () => number) {
    this.#seed = seed
    this.#site = site
    this.#now = now
    this.reset()
  }

  /** Adds a row with the next id. Missing fields get defaults. */
  add<List extends ListName>(list: List, row: Partial<SandboxData[List][number]>): SandboxData[List][number] {
    const id = row.id ?? this.#nextId(list)
    const whole = { ...blankRow(list, id, { site: this.#site, date: dateTime(this.#now()) }), ...row }
    const rows: SandboxData[List][number][] = this.data[list]
    rows.push(whole)
    return whole
  }

  /** Restores the rows of the start. */
  reset(): void {
    this.#lastIds.clear()
    const { account, ...lists } = this.#seed
    this.data.account = { ...account }
    for (const [list, rows] of Object.entries(lists) as [ListName, Partial<SandboxData[ListName][number]>[]][]) {
      this.data[list] = []
      // Each by itself: a clone of all would keep what they have in common.
      for (const row of rows) this.add(list, structuredClone(row))
    }
  }

  /** An id is never used twice, even after its row was deleted. */
  #nextId(list: ListName): number {
    let id = this.#lastIds.get(list) ?? 0
    for (const row of this.data[list]) id = Math.max(id, row.id)
    id += 1
    this.#lastIds.set(list, id)
    return id
  }
}
