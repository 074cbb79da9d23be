import { cookies } from 'next/headers'
import { redirect } from 'next/navigation'
import { ShortLinkClient } from 'shortlink-sdk'
import { Rows } from '../rows'

const client = new ShortLinkClient({
  deadline: 10_000,
  apiKey: async () => (await cookies()).get('key')?.value ?? redirect('/login'),
})

export default function Page() {
  return <Rows client={client} />
}
