/** Every statement here is a mistake that must not compile. */
import { ShortLinkClient } from 'shortlink-sdk'
import { createProxy } from 'shortlink-sdk/proxy'
import { createSandbox } from 'shortlink-sdk/testing'

declare const client: ShortLinkClient
declare const result: Awaited<ReturnType<ReturnType<typeof client.account.get>['safe']>>

// @ts-expect-error: an option that does not exist
new ShortLinkClient({ url: 'https://sho.rt' })
// @ts-expect-error: a key of the wrong type
new ShortLinkClient({ apiKey: 5 })
// @ts-expect-error: an unknown validation mode
new ShortLinkClient({ validation: 'lax' })
// @ts-expect-error: an id is a number or a string
client.campaigns.delete({ id: 5 })
// @ts-expect-error: the domain is required
client.domains.create({ redirectroot: 'https://a.example' })
// @ts-expect-error: the name is required on update
client.campaigns.update(1, { public: true })
// @ts-expect-error: a flag is a boolean
client.campaigns.create({ public: 'yes' })
// @ts-expect-error: an unknown parameter
client.channels.create({ name: 'a', colour: '#ffffff' })
// @ts-expect-error: the tag is required
client.pixels.update(1, { name: 'a' })
// @ts-expect-error: the data is required
client.qr.create({ type: 'text' })
// @ts-expect-error: the url is required
client.opener.create({ status: 'public' })
// @ts-expect-error: public or private
client.opener.create({ url: 'https://a.example', status: 'secret' })
// @ts-expect-error: a type of pixel that the reference does not list
client.pixels.create({ type: 'anything', name: 'a', tag: 'b' })
// @ts-expect-error: a type of QR code that the reference does not list
client.qr.create({ type: 'url', data: 'a' })
// @ts-expect-error: a type of item that the reference does not list
client.channels.assignItem(1, 'link', 2)
// @ts-expect-error: a path is not a content
client.files.upload('a.pdf', '/home/a.pdf')
// @ts-expect-error: a page is a number
client.campaigns.list({ page: '2' })
// @ts-expect-error: campaigns cannot be searched by name
client.campaigns.list({ name: 'a' })
// @ts-expect-error: a list needs its key
client.paginate('/urls', {})
// @ts-expect-error: a promise is not its value
client.account.get().email
// @ts-expect-error: a result has data only if it is ok
result.data.email
// @ts-expect-error: an allowed call starts with its method
createProxy(client, { authorize: 'everyone', allow: ['campaigns'] })
// @ts-expect-error: the calls are required
createProxy(client, { authorize: 'everyone' })
// @ts-expect-error: authorize is required
createProxy(client, { allow: ['GET /campaigns'] })
// @ts-expect-error: an unknown dialect
createSandbox({ dialect: 'klingon' })
