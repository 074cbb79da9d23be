import type { VisitCounts } from './data.ts'

/** Creates the statistics of a QR code or a link. */
export function createStatistics(clicks: number, row: VisitCounts): object {
  const countSocial = (site: string) =>
    Object.entries(row.topReferrers).reduce((sum, [name, count]) => sum + (name.includes(site) ? count : 0), 0)
  return {
    clicks,
    uniqueClicks: row.uniqueclicks,
    topCountries: sortCounts(row.topCountries),
    topReferrers: sortCounts(row.topReferrers),
    topBrowsers: sortCounts(row.topBrowsers),
    topOs: sortCounts(row.topOs),
    socialCount: {
      facebook: countSocial('facebook'),
      twitter: countSocial('twitter'),
      instagram: countSocial('instagram'),
    },
  }
}

/** Sorts counts, largest first. In the reference, they are strings. */
function sortCounts(counts: Record<string, number>): Record<string, string> {
  const sorted = Object.entries(counts).sort(([, one], [, other]) => other - one)
  return Object.fromEntries(sorted.map(([label, count]) => [label, String(count)]))
}
