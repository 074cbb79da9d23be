/** Combines the exported schemas with schemas of a user's own zod. It is compiled and run with several zod versions. */
import { deepEqual, equal } from 'node:assert/strict'
import type { Campaign as CampaignRow } from 'shortlink-sdk'
import { Account, Campaign } from 'shortlink-sdk/schemas'
import * as z from 'zod'

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : never
const same = <A, B>(_: Same<A, B>): void => {}

const received = { id: '7', name: 'Spring', public: 1, rotator: false, list: 'https://sho.rt/u/list' }
const row: CampaignRow = { ...received, id: 7, public: true, rotator: false }

const Campaigns = z.array(Campaign)
same<z.infer<typeof Campaigns>, CampaignRow[]>(true)
deepEqual(Campaigns.parse([received]), [row])

const Owned = z.intersection(Campaign, z.object({ owner: z.string() }))
same<z.infer<typeof Owned>, CampaignRow & { owner: string }>(true)
deepEqual(Owned.parse({ ...received, owner: 'Ada' }), { ...row, owner: 'Ada' })
equal(Owned.safeParse(received).success, false)

const Report = z.object({ campaign: Campaign, previous: z.nullable(Campaign), account: z.optional(Account) })
deepEqual(Report.parse({ campaign: received, previous: null }), { campaign: row, previous: null })
const campaign: CampaignRow = Report.parse({ campaign: received, previous: received }).campaign
// @ts-expect-error: the inferred type has no other keys
campaign.nmae

deepEqual(z.record(z.string(), Campaign).parse({ spring: received }), { spring: row })
deepEqual(z.union([z.literal('none'), Campaign]).parse('none'), 'none')
deepEqual(
  z
    .pipe(
      Campaign,
      z.transform(({ name }) => name),
    )
    .parse(received),
  'Spring',
)

const withShop = z.looseObject({ ...Campaign.shape, shop: z.string() })
deepEqual(withShop.parse({ ...received, shop: 'Tea' }), { ...row, shop: 'Tea' })
deepEqual(Object.keys(z.toJSONSchema(Campaign, { io: 'output' }).properties ?? {}), Object.keys(Campaign.shape))

const issues = Campaigns.safeParse([received, { ...received, public: 'maybe' }]).error?.issues
deepEqual(
  issues?.map(({ path }) => path),
  [[1, 'public']],
)
deepEqual(await Campaigns.parseAsync([received]), [row])
