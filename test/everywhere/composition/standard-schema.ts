/** Uses the exported schemas as Standard Schemas with valibot and ArkType. It is compiled and run. */
import { deepEqual, equal } from 'node:assert/strict'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { type } from 'arktype'
import { type Campaign as CampaignRow, ShortLinkClient } from 'shortlink-sdk'
import { Campaign } from 'shortlink-sdk/schemas'
import { createSandbox } from 'shortlink-sdk/testing'
import * as v from 'valibot'

const received = { id: '7', name: 'Spring', public: 1, rotator: false, list: 'https://sho.rt/u/list' }
const row: CampaignRow = { ...received, id: 7, public: true, rotator: false }

// Functions that accept a Standard Schema accept the schemas of the package.
const standard: StandardSchemaV1<unknown, CampaignRow> = Campaign
deepEqual(await standard['~standard'].validate(received), { value: row })

// ArkType accepts Standard Schemas in its definitions.
const Report = type({ campaign: Campaign, owner: 'string' })
const report = Report({ campaign: received, owner: 'Ada' })
if (report instanceof type.errors) throw new Error(report.summary)
const campaign: CampaignRow = report.campaign
deepEqual(campaign, row)
equal(Report({ campaign: { ...received, public: 'maybe' }, owner: 'Ada' }) instanceof type.errors, true)

// Valibot accepts them in a transformation.
const ValibotCampaign = v.pipe(
  v.unknown(),
  v.rawTransform(({ dataset, addIssue, NEVER }): CampaignRow => {
    const result = Campaign['~standard'].validate(dataset.value)
    if (result instanceof Promise) throw new TypeError('the schemas of the package are synchronous')
    if (!result.issues) return result.value
    for (const { message } of result.issues) addIssue({ message })
    return NEVER
  }),
)
const rows: CampaignRow[] = v.parse(v.array(ValibotCampaign), [received])
deepEqual(rows, [row])
equal(v.is(ValibotCampaign, { ...received, public: 'maybe' }), false)

// The client accepts the schemas of both.
const client = new ShortLinkClient(createSandbox().clientOptions)
const data = { error: v.number() }
const { error } = await client.request('GET', '/account', { schema: v.object(data) })
equal(error.toFixed(), '0')
const { id } = await client.request('GET', '/account', {
  schema: type({ data: { id: 'number' } }).pipe(({ data }) => data),
})
equal(id, 1)
