/** What lands in `node_modules`. */
import type { Finding } from './measure.ts'
import { npm, root } from './peers.ts'

export const packageBudget = 400

export async function compare(): Promise<Finding[]> {
  const { all, withoutMaps } = packageSize()
  return [
    {
      title: 'The package unpacked',
      how: '`npm pack --dry-run` of the built package. Exact.',
      unit: 'kB',
      rows: [
        { name: 'without source maps', samples: [withoutMaps / 1000], goal: { atMost: packageBudget } },
        { name: 'with source maps', samples: [all / 1000] },
      ],
    },
  ]
}

/** Bytes of the unpacked package. */
export function packageSize(): { all: number; withoutMaps: number } {
  const [{ files }]: [{ files: { path: string; size: number }[] }] = JSON.parse(
    npm('pack', root, '--dry-run', '--json'),
  )
  const bytes = (some: typeof files) => some.reduce((total, { size }) => total + size, 0)
  return { all: bytes(files), withoutMaps: bytes(files.filter(({ path }) => !path.endsWith('.map'))) }
}
