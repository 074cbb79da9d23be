import Stripe from 'stripe'

export function connect(host: string) {
  const client = new Stripe('key', { host, httpClient: Stripe.createFetchHttpClient() })
  return async () => {
    const { data } = await client.customers.list()
    return data.length
  }
}
