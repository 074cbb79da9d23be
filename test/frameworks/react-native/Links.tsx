import { useEffect, useState } from 'react'
import { FlatList, Text } from 'react-native'
import type { Link } from 'shortlink-sdk'
import { client } from './shortlink'

export function Links() {
  const [links, setLinks] = useState<Link[]>([])
  useEffect(() => {
    const controller = new AbortController()
    client.links
      .list({}, { signal: controller.signal })
      .toArray({ limit: 200 })
      .then(setLinks)
      .catch((error) => {
        if (!controller.signal.aborted) throw error
      })
    return () => controller.abort()
  }, [])
  return <FlatList data={links} renderItem={({ item }) => <Text>{item.shorturl}</Text>} />
}
