import { ShortLinkClient } from 'shortlink-sdk'
import { qrText } from 'shortlink-sdk/qr-text'

const data = qrText.wifi({ ssid: 'Shop guests', password: 'tea; and cake' })
const { link } = await new ShortLinkClient().qr.create({ type: 'text', data })
console.log(link)
