'use client'

import { useEffect, useState } from 'react'
import { client } from './shortlink'

export function Links() {
  const [addresses, setAddresses] = useState<string[]>([])
  useEffect(() => {
    const controller = new AbortController()
    client.links
      .list({}, { signal: controller.signal })
      .toArray({ limit: 200 })
      .then((links) => setAddresses(links.map(({ shorturl }) => shorturl)))
      .catch((error) => {
        if (!controller.signal.aborted) throw error
      })
    return () => controller.abort()
  }, [])
  return (
    <ul>
      {addresses.map((address) => (
        <li key={address}>{address}</li>
      ))}
    </ul>
  )
}
