import { type Check, checkedElsewhere } from '../schema/checks.ts'
import { structuredClone } from './host.ts'
import { throwIfInvalid } from './options.ts'

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

/** Initial rows. Missing fields, the id included, get defaults. The address of a link may be called `url` too. */
export type SandboxSeed = {
  account?: Partial<AccountRow>
  links?: readonly (Partial<LinkRow> & { url?: string })[]
} & {
  [List in Exclude<ListName, 'links'>]?: readonly Partial<SandboxData[List][number]>[]
}

interface AccountRow {
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

interface DomainRow {
  id: number
  /** With its scheme, as in `https://brand.example`. */
  domain: string
  redirectroot: string | null
  redirect404: string | null
}

interface OverlayRow {
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

interface SplashRow {
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
export interface LinkRow extends ShortAddress, VisitCounts {
  id: number
  longurl: string
  title: string
  description: string
  clicks: number
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

interface BioRow extends ShortAddress {
  id: number
  title: string
  date: string
}

interface PixelRow {
  id: number
  type: string
  name: string
  tag: string
  date: string
}

export interface QrRow extends ShortAddress, VisitCounts {
  id: number
  name: string
  type: string
  data: unknown
  background: string
  foreground: string
  logo: string
  scans: number
  date: string
}

/** The statistics of a link or a QR code: how many visitors there were, and how often each country, site, browser and system. */
export interface VisitCounts {
  uniqueclicks: number
  topCountries: Record<string, number>
  topReferrers: Record<string, number>
  topBrowsers: Record<string, number>
  topOs: Record<string, number>
}

interface OpenerLinkRow {
  id: number
  url: string
  status: 'public' | 'private'
  provider: string
  alias: string
}

/** The account of a sandbox that was given none. */
const account: AccountRow = {
  id: 1,
  email: 'owner@shop.example',
  username: 'owner',
  avatar: 'https://shop.example/avatar.png',
  status: 'pro',
  expires: '2030-01-01 00:00:00',
  registered: '2024-03-09 08:30:00',
  password: '',
}

const noVisits = () => ({ uniqueclicks: 0, topCountries: {}, topReferrers: {}, topBrowsers: {}, topOs: {} })

/** The defaults of a new row in each list. `site` is the domain of its short address. */
const blanks: { [Name in ListName]: (id: number, date: string, site: string) => SandboxData[Name][number] } = {
  domains: (id) => ({ id, domain: `https://brand-${id}.example`, redirectroot: '', redirect404: '' }),
  overlays: (id, date) => ({ id, type: 'message', name: `Overlay ${id}`, date }),
  campaigns: (id) => ({ id, name: '', slug: '', public: false, links: [] }),
  channels: (id) => ({ id, name: `Channel ${id}`, description: '', color: '#1f6feb', starred: false, items: [] }),
  splash: (id, date) => ({ id, name: `Splash page ${id}`, date }),
  files: (id, date, domain) => ({
    id,
    name: `file-${id}.txt`,
    filename: `file-${id}.txt`,
    size: 0,
    content: new Uint8Array(),
    downloads: 0,
    domain,
    alias: aliasOf('f', id),
    password: '',
    expiry: '',
    maxdownloads: 0,
    date,
  }),
  links: (id, date, domain) => ({
    id,
    title: `Link ${id}`,
    longurl: `https://shop.example/${id}`,
    description: '',
    clicks: 0,
    ...noVisits(),
    domain,
    alias: aliasOf('l', id),
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
  }),
  bios: (id, date, domain) => ({ id, title: `Bio page ${id}`, domain, alias: aliasOf('b', id), date }),
  pixels: (id, date) => ({ id, type: 'gtmpixel', name: `Pixel ${id}`, tag: `GTM-${id}`, date }),
  qrs: (id, date, domain) => ({
    id,
    name: `QR code ${id}`,
    type: 'link',
    data: `https://shop.example/${id}`,
    background: 'rgb(255,255,255)',
    foreground: 'rgb(0,0,0)',
    logo: '',
    scans: 0,
    ...noVisits(),
    domain,
    alias: aliasOf('q', id),
    date,
  }),
  openerLinks: (id) => ({
    id,
    url: 'https://www.youtube.com/',
    status: 'private',
    provider: 'YouTube',
    alias: aliasOf('o', id),
  }),
}

const listNames = Object.keys(blanks) as ListName[]

/** The same list and id always give the same alias, so that tests can rely on it. */
function aliasOf(letter: string, id: number): string {
  return letter + (id * 7919 + 46_656).toString(36)
}

/** Rejects unknown lists and fields. */
export function checkSeed(seed: SandboxSeed): void {
  const list: Check = { expected: 'a list of rows', fits: Array.isArray }
  const lists = Object.fromEntries(listNames.map((name) => [name, list]))
  throwIfInvalid<object>(seed, { ...lists, account: checkedElsewhere }, 'data')
  throwIfInvalid<object>(seed.account ?? {}, anyOf(account), 'data', 'account')
  for (const name of listNames) {
    const fields = anyOf({ ...blanks[name](1, '', ''), ...(name === 'links' && { url: '' }) })
    for (const [index, row] of (seed[name] ?? []).entries())
      throwIfInvalid<object>(row, fields, 'data', name, `${index}`)
  }
}

/** Any value for each of these fields. */
function anyOf(fields: object): Record<string, Check> {
  return Object.fromEntries(Object.keys(fields).map((name) => [name, checkedElsewhere]))
}

/** `YYYY-MM-DD HH:MM:SS`, in UTC. */
export function dateTime(time: number): string {
  return new Date(time).toISOString().slice(0, 19).replace('T', ' ')
}

/** A link whose address may be called `url`. */
function asLink({ url, ...row }: Partial<LinkRow> & { url?: string }): Partial<LinkRow> {
  return url === undefined ? row : { longurl: url, ...row }
}

/** Holds the rows, and adds new ones. */
export class Store {
  readonly data = {} as SandboxData
  readonly #seed: SandboxSeed
  readonly #site: string
  readonly #now: () => number
  readonly #lastIds = new Map<ListName, number>()

  constructor(seed: SandboxSeed, site: string, now: () => number) {
    this.#seed = seed
    this.#site = site
    this.#now = now
    this.reset()
  }

  /** Adds a row with the next id. Missing fields get defaults. */
  add<List extends ListName>(
    list: List,
    { id = this.#nextId(list), ...row }: Partial<SandboxData[List][number]>,
  ): SandboxData[List][number] {
    const whole = { ...blanks[list](id, dateTime(this.#now()), this.#site), ...row }
    const rows: SandboxData[List][number][] = this.data[list]
    rows.push(whole)
    return whole
  }

  /** Restores the rows of the start. */
  reset(): void {
    this.#lastIds.clear()
    this.data.account = { ...account, ...this.#seed.account }
    for (const list of listNames) {
      this.data[list] = []
      let lastId = 0
      for (const given of this.#seed[list] ?? []) {
        // Each by itself: a clone of all would keep what they have in common.
        const row = structuredClone(given)
        const id = row.id ?? lastId + 1
        this.add(list, { ...(list === 'links' ? asLink(row) : row), id })
        lastId = Math.max(lastId, id)
      }
    }
  }

  /** An id is never used twice, even after its row was deleted. */
  #nextId(list: ListName): number {
    const ids = this.data[list].map(({ id }) => id)
    const id = ids.reduce((highest, one) => Math.max(highest, one), this.#lastIds.get(list) ?? 0) + 1
    this.#lastIds.set(list, id)
    return id
  }
}
