import { ShortLinkClient } from 'shortlink-sdk'

const escaped = (text: string) => text.replace(/[\\;,":]/g, '\\$&')
const data = `WIFI:T:WPA;S:${escaped('Shop guests')};P:${escaped('tea; and cake')};;`
const { link } = await new ShortLinkClient().qr.create({ type: 'text', data })
console.log(link)
