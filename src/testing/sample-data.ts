import type { SandboxSeed, VisitCounts } from './platform/data.ts'

const products = ['Tea', 'Lamps', 'Boots', 'Maps', 'Bicycles', 'Honey', 'Kites', 'Radios']
const seasons = ['Spring', 'Summer', 'Autumn', 'Winter']
const colors = ['#1f6feb', '#d29922', '#2da44e', '#bf3989']
const kindsOfPixels = ['gtmpixel', 'gapixel', 'fbpixel', 'linkedinpixel', 'pinterest', 'reddit', 'tiktok']

/**
 * Creates the same `rows` rows in every list each time, for a sandbox that should not start empty.
 *
 * @param rows How many rows each list has. Default 3.
 * @example
 * import { createSandbox, sampleData } from 'shortlink-sdk/testing'
 * const sandbox = createSandbox({ data: sampleData(300) })
 * console.log(sandbox.data.links.length)
 */
export function sampleData(rows = 3): Required<Omit<SandboxSeed, 'account'>> {
  const each = <Row>(make: (name: string, index: number) => Row): Row[] =>
    Array.from({ length: rows }, (_, index) => make(nameProduct(index), index))
  const dated = <Row extends object>(make: (name: string, index: number) => Row) =>
    each((name, index) => ({ ...make(name, index), date: formatDay(index) }))
  return {
    domains: each((name) => ({
      domain: `https://${toSlug(name)}.example`,
      redirectroot: 'https://shop.example',
      redirect404: 'https://shop.example/lost',
    })),
    overlays: dated((name, index) => ({ type: pickInTurn(['message', 'contact'], index), name: `${name} offer` })),
    campaigns: each((product, index) => {
      const name = `${pickInTurn(seasons, index)} ${product}`
      return { name, slug: toSlug(name), public: index % 2 === 0, links: [index + 1] }
    }),
    channels: each((name, index) => ({
      name: `${name} newsletter`,
      description: `Everything about ${name.toLowerCase()}`,
      color: pickInTurn(colors, index),
      starred: index % 3 === 0,
      items: (['links', 'bio', 'qr'] as const).map((type) => ({ type, id: index + 1 })),
    })),
    splash: dated((name) => ({ name: `${name} splash` })),
    files: dated((name, index) => {
      const content = new TextEncoder().encode(`The catalogue of ${name.toLowerCase()}.\n`)
      const filename = `${toSlug(name)}.txt`
      return { name: filename, filename, content, size: content.length, downloads: index }
    }),
    links: dated((title, index) => {
      const clicks = index * 7
      return { longurl: `https://shop.example/${toSlug(title)}`, title, clicks, ...createVisits(clicks) }
    }),
    bios: dated((name) => ({ title: `All about ${name.toLowerCase()}` })),
    pixels: dated((name, index) => ({
      type: pickInTurn(kindsOfPixels, index),
      name: `${name} pixel`,
      tag: `TAG-${1000 + index}`,
    })),
    qrs: dated((name, index) => {
      const scans = index * 3
      return { name: `${name} poster`, data: `https://shop.example/${toSlug(name)}`, scans, ...createVisits(scans) }
    }),
    openerLinks: [],
  }
}

/** Names a product. Repeated names get a number: "Tea", "Lamps", … "Tea 2". */
function nameProduct(index: number): string {
  const round = Math.floor(index / products.length)
  return pickInTurn(products, index) + (round === 0 ? '' : ` ${round + 1}`)
}

function createVisits(count: number): VisitCounts {
  return {
    uniqueclicks: Math.min(count, 4),
    topCountries: distribute(count, ['Portugal', 'Japan', 'Kenya']),
    topReferrers: distribute(count, ['facebook.com', 'instagram.com', 'Direct']),
    topBrowsers: distribute(count, ['Chrome', 'Firefox', 'Safari']),
    topOs: distribute(count, ['Android', 'iOS']),
  }
}

/** Distributes a number of visits over these labels in turn. */
function distribute(count: number, labels: readonly string[]): Record<string, number> {
  const shared = labels.map((label, index) => [label, Math.ceil((count - index) / labels.length)] as const)
  return Object.fromEntries(shared.filter(([, share]) => share > 0))
}

function pickInTurn<Value>(values: readonly Value[], index: number): Value {
  return values[index % values.length]!
}

function toSlug(name: string): string {
  return name.toLowerCase().replaceAll(' ', '-')
}

function formatDay(index: number): string {
  return `2025-01-${String((index % 28) + 1).padStart(2, '0')} 09:15:00`
}
