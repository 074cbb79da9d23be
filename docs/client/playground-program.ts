/** What stands in the playground's editor at first. */
export const program = `import { isShortLinkError, ShortLinkClient } from 'shortlink-sdk'

const client = new ShortLinkClient({
  onRetry: ({ method, path, reason }) => console.log('again:', method, path, reason),
})

try {
  const { id } = await client.campaigns.create({ name: 'Summer' })
  await client.campaigns.update(id, { name: 'Summer sale' })
  for await (const { id, name } of client.campaigns.list()) console.log(id, name)
} catch (error) {
  if (!isShortLinkError(error)) throw error
  console.log(error.code, error.outcome, error.message)
}
`
