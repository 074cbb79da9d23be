import { cookies } from 'next/headers'
import { redirect } from 'next/navigation'
import { ShortLinkClient } from 'shortlink-sdk'
import { Links } from '../links'

const client = new ShortLinkClient({
  deadline: 10_000,
  apiKey: async () => (await cookies()).get('key')?.value ?? redirect('/login'),
})

export default function Page() {
  return <Links client={client} />
}
