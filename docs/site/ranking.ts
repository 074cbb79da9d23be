/** How the search ranks pages: that of the site, and of its test. The numbers are Starlight's own. */
export const ranking = { pageLength: 0.1, termFrequency: 0.1, termSaturation: 2, termSimilarity: 9 }
