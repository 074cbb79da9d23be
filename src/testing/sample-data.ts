import type { SandboxSeed, VisitCounts } from './data.ts'

const products = ['Tea', 'Lamps', 'Boots', 'Maps', 'Bicycles', 'Honey', 'Kites', 'Radios']
const seasons = ['Spring', 'Summer', 'Autumn', 'Winter']
const colors = ['#1f6feb', '#d29922', '#2da44e', '#bf3989']
const pixelTypes = ['gtmpixel', 'gapixel', 'fbpixel', 'linkedinpixel', 'pinterest', 'reddit', 'tiktok']

/**
 * Creates `rows` rows in every list, the same every time, for a sandbox that is not to start empty.
 *
 * @param rows How many rows each list has. Default 3.
 * @example
 * import { createSandbox, sampleData } from 'shortlink-sdk/testing'
 * const sandbox = createSandbox({ data: sampleData(300) })
 * console.log(sandbox.data.links.length)
 */
export function sampleData(rows = 3): Required<Omit<SandboxSeed, 'account'>> {
  const each = <Row>(make: (index: number) => Row): Row[] => Array.from({ length: rows }, (_, index) => make(index))
  return {
    domains: each((index) => ({
      domain: `https://${slug(product(index))}.example`,
      redirectroot: 'https://shop.example',
      redirect404: 'https://shop.example/lost',
    })),
    overlays: each((index) => ({
      type: pick(['message', 'contact'], index),
      name: `${product(index)} offer`,
      date: day(index),
    })),
    campaigns: each((index) => ({
      name: `${pick(seasons, index)} ${product(index)}`,
      slug: slug(`${pick(seasons, index)} ${product(index)}`),
      public: index % 2 === 0,
      links: [index + 1],
    })),
    channels: each((index) => ({
      name: `${product(index)} newsletter`,
      description: `Everything about ${product(index).toLowerCase()}`,
      color: pick(colors, index),
      starred: index % 3 === 0,
      items: [
        { type: 'links' as const, id: index + 1 },
        { type: 'bio' as const, id: index + 1 },
        { type: 'qr' as const, id: index + 1 },
      ],
    })),
    splash: each((index) => ({ name: `${product(index)} splash`, date: day(index) })),
    files: each((index) => {
      const content = new TextEncoder().encode(`The catalogue of ${product(index).toLowerCase()}.\n`)
      const filename = `${slug(product(index))}.txt`
      return { name: filename, filename, content, size: content.length, downloads: index, date: day(index) }
    }),
    links: each((index) => ({
      longurl: `https://shop.example/${slug(product(index))}`,
      title: product(index),
      clicks: index * 7,
      ...visits(index * 7),
      date: day(index),
    })),
    bios: each((index) => ({ title: `All about ${product(index).toLowerCase()}`, date: day(index) })),
    pixels: each((index) => ({
      type: pick(pixelTypes, index),
      name: `${product(index)} pixel`,
      tag: `TAG-${1000 + index}`,
      date: day(index),
    })),
    qrs: each((index) => ({
      name: `${product(index)} poster`,
      data: `https://shop.example/${slug(product(index))}`,
      scans: index * 3,
      ...visits(index * 3),
      date: day(index),
    })),
    openerLinks: [],
  }
}

/** Repeated names get a number: "Tea", "Lamps", … "Tea 2". */
function product(index: number): string {
  const round = Math.floor(index / products.length)
  return pick(products, index) + (round === 0 ? '' : ` ${round + 1}`)
}

function visits(count: number): VisitCounts {
  return {
    uniqueclicks: Math.min(count, 4),
    topCountries: shares(count, ['Portugal', 'Japan', 'Kenya']),
    topReferrers: shares(count, ['facebook.com', 'instagram.com', 'Direct']),
    topBrowsers: shares(count, ['Chrome', 'Firefox', 'Safari']),
    topOs: shares(count, ['Android', 'iOS']),
  }
}

/** Deals a number of visits out to these labels in turn. */
function shares(count: number, labels: readonly string[]): Record<string, number> {
  const shared = labels.map((label, index) => [label, Math.ceil((count - index) / labels.length)] as const)
  return Object.fromEntries(shared.filter(([, share]) => share > 0))
}

function pick<Value>(values: readonly Value[], index: number): Value {
  return values[index % values.length]!
}

function slug(name: string): string {
  return name.toLowerCase().replaceAll(' ', '-')
}

function day(index: number): string {
  return `2025-01-${String((index % 28) + 1).padStart(2, '0')} 09:15:00`
}
