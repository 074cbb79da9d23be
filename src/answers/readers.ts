// Written by `npm run generate` from schemas.ts: change that file, not this one.
import {
  countOrZero,
  counts,
  flag,
  integer,
  list,
  optional,
  part,
  reader,
  text,
  textOrEmpty,
  textOrFalse,
  textOrNull,
} from '../schema/fields.ts'

export const readAccount = /* @__PURE__ */ reader({
  id: integer,
  email: text,
  username: text,
  avatar: textOrNull,
  status: text,
  expires: textOrNull,
  registered: text,
})

export const readActionResult = /* @__PURE__ */ reader({ message: textOrEmpty })

export const readCampaign = /* @__PURE__ */ reader(
  { id: integer, name: text, public: flag, rotator: textOrFalse, list: text },
  { name: ['domain', 'campaign'] },
)

export const readChannel = /* @__PURE__ */ reader({
  id: integer,
  name: text,
  description: textOrNull,
  color: textOrNull,
  starred: flag,
})

export const readChannelItem = /* @__PURE__ */ reader({
  type: text,
  id: integer,
  title: textOrNull,
  preview: textOrNull,
  link: text,
  date: text,
})

export const readCreated = /* @__PURE__ */ reader({ id: integer })

export const readCreatedQrCode = /* @__PURE__ */ reader({ id: integer, link: text })

export const readDeviceTarget = /* @__PURE__ */ reader({ device: text, link: text })

export const readDomain = /* @__PURE__ */ reader({
  id: integer,
  domain: text,
  redirectroot: textOrNull,
  redirect404: textOrNull,
})

export const readOpenerLink = /* @__PURE__ */ reader({
  id: integer,
  shorturl: text,
  status: text,
  provider: text,
  domain: text,
  devicetarget: list(readDeviceTarget),
  'powered-by': textOrEmpty,
})

export const readOverlay = /* @__PURE__ */ reader({ id: integer, type: text, name: text, date: text })

export const readPixel = /* @__PURE__ */ reader({ id: integer, type: text, name: text, tag: text, date: text })

export const readPlatformFile = /* @__PURE__ */ reader({
  id: integer,
  name: text,
  downloads: integer,
  shorturl: text,
  date: text,
})

export const readQrCode = /* @__PURE__ */ reader(
  { id: integer, link: text, scans: integer, name: textOrEmpty, date: text },
  { date: ['data'] },
)

export const readSocialCount = /* @__PURE__ */ reader({
  facebook: countOrZero,
  twitter: countOrZero,
  instagram: countOrZero,
})

export const readQrStatistics = /* @__PURE__ */ reader({
  clicks: integer,
  uniqueClicks: integer,
  topCountries: counts,
  topReferrers: counts,
  topBrowsers: counts,
  topOs: counts,
  socialCount: part(readSocialCount),
})

export const readQrDetails = /* @__PURE__ */ reader({
  details: part(readQrCode),
  data: optional(part(readQrStatistics)),
})

export const readSplash = /* @__PURE__ */ reader({ id: integer, name: text, date: text })

export const readUploadedFile = /* @__PURE__ */ reader({ id: integer, shorturl: text }, { id: ['1'] })
