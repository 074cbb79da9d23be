import { Resend } from 'resend'

export function connect(baseUrl: string) {
  const client = new Resend('key', { baseUrl })
  return async () => {
    const { data } = await client.emails.list()
    return data?.data.length
  }
}
