import OpenAI from 'openai'

export function connect(baseUrl: string) {
  const client = new OpenAI({ baseURL: baseUrl, apiKey: 'key' })
  return async () => {
    const { data } = await client.models.list()
    return data.length
  }
}
