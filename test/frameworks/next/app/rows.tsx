import { Suspense } from 'react'
import type { ShortLinkClient } from 'shortlink-sdk'

/** A list of short addresses, read while the page is rendered. */
export function Rows({ client }: { client: ShortLinkClient }) {
  return (
    <Suspense fallback={<p>Loading…</p>}>
      <ReadRows client={client} />
    </Suspense>
  )
}

async function ReadRows({ client }: { client: ShortLinkClient }) {
  const { items } = await client.links.list()
  return (
    <ul>
      {items.map(({ id, shorturl }) => (
        <li key={id}>{shorturl}</li>
      ))}
    </ul>
  )
}
