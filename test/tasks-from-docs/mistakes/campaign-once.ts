import { ShortLinkClient } from 'shortlink-sdk'

// Tries a POST again whose outcome is unknown.
const client = new ShortLinkClient()
const create = () => client.campaigns.create({ name: 'Spring sale' })
const { id } = await create().catch(create)
console.log(id)
