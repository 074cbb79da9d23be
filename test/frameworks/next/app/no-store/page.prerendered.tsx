import { ShortLinkClient } from 'shortlink-sdk'
import { Rows } from '../rows'

const client = new ShortLinkClient({ deadline: 10_000, fetchOptions: { cache: 'no-store' } })

export default function Page() {
  return <Rows client={client} />
}
