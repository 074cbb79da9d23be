/**
 * The schemas that the client uses, one for each kind of response, for data from another source: a cache, a queue or
 * another client. They accept values as the client does, under the documented names, and return the documented types.
 *
 * Each is an object of `zod/mini`. `z.array`, `z.object` and `z.toJSONSchema` of zod 4 accept it, classic or mini.
 * `z.extend` and `z.pick` are functions of `zod/mini`; with the classic zod, write
 * `z.object({ ...Campaign.shape, note: z.string() })`. Unknown keys are kept.
 *
 * @example
 * import { Campaign } from 'shortlink-sdk/schemas'
 * import * as z from 'zod'
 * const text = '[{"id":"3","name":"Opening day","public":1,"rotator":false,"list":"https://sho.rt/u/owner/list-3"}]'
 * console.log(z.array(Campaign).parse(JSON.parse(text)))
 *
 * const Noted = z.object({ ...Campaign.shape, note: z.string() })
 * console.log(Noted.parse({ ...JSON.parse(text)[0], note: 'spring' }).note)
 */
export type { StandardSchema } from './client/parse/standard-schema.ts'
export { Account } from './client/resources/account.ts'
export { Campaign, CreatedCampaign } from './client/resources/campaigns.ts'
export { Channel, ChannelItem, type ChannelItemType, CreatedChannel } from './client/resources/channels.ts'
export { Domain } from './client/resources/domains.ts'
export { PlatformFile, UploadedFile } from './client/resources/files.ts'
export {
  CreatedLink,
  Link,
  LinkDetails,
  type LinkFields,
  type LinkSocialCount,
  type LinkStatistics,
} from './client/resources/links.ts'
export { type DeviceTarget, OpenerLink, type OpenerLinkStatus } from './client/resources/opener.ts'
export { Overlay } from './client/resources/overlays.ts'
export { Pixel, type PixelType } from './client/resources/pixels.ts'
export { CreatedQrCode, QrCode, QrDetails, QrStatistics, type SocialCount } from './client/resources/qr.ts'
export { ActionResult, Created } from './client/resources/resource.ts'
export { Splash } from './client/resources/splash.ts'
