import { ShortLinkClient } from 'shortlink-sdk'
import { Links } from './links'

const client = new ShortLinkClient({ deadline: 10_000, fetchOptions: { cache: 'no-store' } })

export default function Page() {
  return <Links client={client} />
}
