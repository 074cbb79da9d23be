const loading = import('shortlink-sdk').then(({ ShortLinkClient }) => new ShortLinkClient({ deadline: 5000 }))

exports.handler = async (event) => {
  const client = await loading
  const { shorturl } = await client.links.create({ url: event.url })
  return { statusCode: 201, body: shorturl }
}
