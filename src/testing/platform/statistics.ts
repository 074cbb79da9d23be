import type { VisitCounts } from './data.ts'

/** The statistics of a QR code or a link. */
export function statistics(clicks: number, row: VisitCounts): object {
  const social = (site: string) =>
    Object.entries(row.topReferrers).reduce((sum, [name, count]) => sum + (name.includes(site) ? count : 0), 0)
  return {
    clicks,
    uniqueClicks: row.uniqueclicks,
    topCountries: top(row.topCountries),
    topReferrers: top(row.topReferrers),
    topBrowsers: top(row.topBrowsers),
    topOs: top(row.topOs),
    socialCount: { facebook: social('facebook'), twitter: social('twitter'), instagram: social('instagram') },
  }
}

/** The most frequent first; the reference gives these counts as strings. */
function top(counts: Record<string, number>): Record<string, string> {
  const sorted = Object.entries(counts).sort(([, one], [, other]) => other - one)
  return Object.fromEntries(sorted.map(([label, count]) => [label, String(count)]))
}
