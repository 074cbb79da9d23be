import { ShortLinkClient } from 'shortlink-sdk'

// A reader takes the semicolon for the end of the password.
const data = 'WIFI:T:WPA;S:Shop guests;P:tea; and cake;;'
const { link } = await new ShortLinkClient().qr.create({ type: 'text', data })
console.log(link)
