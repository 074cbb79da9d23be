const { ShortLinkClient } = require('shortlink-sdk')

const client = new ShortLinkClient({ deadline: 5000 })

exports.handler = async (event) => {
  const { shorturl } = await client.links.create({ url: event.url })
  return { statusCode: 201, body: shorturl }
}
