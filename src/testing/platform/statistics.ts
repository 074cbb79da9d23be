import type { Visit } from '../data/rows.ts'

/** The statistics of a QR code or a link. */
export function statistics(clicks: number, visits: readonly Visit[]): object {
  const social = (site: string) => visits.filter(({ referrer }) => referrer.includes(site)).length
  return {
    clicks,
    uniqueClicks: uniqueVisitors(visits),
    topCountries: tally(visits.map(({ country }) => country)),
    topReferrers: tally(visits.map(({ referrer }) => referrer)),
    topBrowsers: tally(visits.map(({ browser }) => browser)),
    topOs: tally(visits.map(({ os }) => os)),
    socialCount: { facebook: social('facebook'), twitter: social('twitter'), instagram: social('instagram') },
  }
}

export function uniqueVisitors(visits: readonly Visit[]): number {
  return new Set(visits.map(({ visitor }) => visitor)).size
}

/** How often each label comes, most frequent first; the reference gives these counts as strings. */
function tally(labels: readonly string[]): Record<string, string> {
  const counts = new Map<string, number>()
  for (const label of labels) counts.set(label, (counts.get(label) ?? 0) + 1)
  const sorted = [...counts].sort(([, one], [, other]) => other - one)
  return Object.fromEntries(sorted.map(([label, count]) => [label, String(count)]))
}
