import { connection } from 'next/server'
import { Suspense } from 'react'
import { client } from '../server-client'

export default function Page() {
  return (
    <Suspense fallback={<p>Loading…</p>}>
      <Links />
    </Suspense>
  )
}

async function Links() {
  await connection() // rendered for each request, not while Next builds
  const { items } = await client.links.list()
  return (
    <ul>
      {items.map(({ id, shorturl }) => (
        <li key={id}>{shorturl}</li>
      ))}
    </ul>
  )
}
