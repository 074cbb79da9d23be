'use client'

import { useEffect, useState } from 'react'
import { ShortLinkClient } from 'shortlink-sdk'

/** Lists the campaigns in the browser, through the route handler. */
export function Campaigns() {
  const [names, setNames] = useState([])
  useEffect(() => {
    const client = new ShortLinkClient({ baseUrl: new URL('/api/shortlink', location.href), apiKey: null })
    client.campaigns.list().then(({ items }) => setNames(items.map(({ name }) => name)))
  }, [])
  return (
    <ul>
      {names.map((name) => (
        <li key={name}>{name}</li>
      ))}
    </ul>
  )
}
