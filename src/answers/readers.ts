// Written by `npm run generate` from schemas.ts: change that file, not this one.
import {
  countOrZero,
  counts,
  flag,
  inside,
  integer,
  list,
  object,
  orUndefined,
  type Reading,
  text,
  textOrEmpty,
  textOrFalse,
  textOrNull,
} from '../wire.ts'

export const readAccount = (value: unknown, reading: Reading) => {
  const row = object(value, reading)
  if (!row) return value as never
  return {
    ...row,
    id: integer(row.id, reading, 'id'),
    email: text(row.email, reading, 'email'),
    username: text(row.username, reading, 'username'),
    avatar: textOrNull(row.avatar, reading, 'avatar'),
    status: text(row.status, reading, 'status'),
    expires: textOrNull(row.expires, reading, 'expires'),
    registered: text(row.registered, reading, 'registered'),
  }
}

export const readActionResult = (value: unknown, reading: Reading) => {
  const row = object(value, reading)
  if (!row) return value as never
  return {
    ...row,
    message: textOrEmpty(row.message, reading, 'message'),
  }
}

export const readCampaign = (value: unknown, reading: Reading) => {
  const row = object(value, reading, { name: ['domain', 'campaign'] })
  if (!row) return value as never
  return {
    ...row,
    id: integer(row.id, reading, 'id'),
    name: text(row.name, reading, 'name'),
    public: flag(row.public, reading, 'public'),
    rotator: textOrFalse(row.rotator, reading, 'rotator'),
    list: text(row.list, reading, 'list'),
  }
}

export const readChannel = (value: unknown, reading: Reading) => {
  const row = object(value, reading)
  if (!row) return value as never
  return {
    ...row,
    id: integer(row.id, reading, 'id'),
    name: text(row.name, reading, 'name'),
    description: textOrNull(row.description, reading, 'description'),
    color: textOrNull(row.color, reading, 'color'),
    starred: flag(row.starred, reading, 'starred'),
  }
}

export const readChannelItem = (value: unknown, reading: Reading) => {
  const row = object(value, reading)
  if (!row) return value as never
  return {
    ...row,
    type: text(row.type, reading, 'type'),
    id: integer(row.id, reading, 'id'),
    title: textOrNull(row.title, reading, 'title'),
    preview: textOrNull(row.preview, reading, 'preview'),
    link: text(row.link, reading, 'link'),
    date: text(row.date, reading, 'date'),
  }
}

export const readCreated = (value: unknown, reading: Reading) => {
  const row = object(value, reading)
  if (!row) return value as never
  return {
    ...row,
    id: integer(row.id, reading, 'id'),
  }
}

export const readCreatedQrCode = (value: unknown, reading: Reading) => {
  const row = object(value, reading)
  if (!row) return value as never
  return {
    ...row,
    id: integer(row.id, reading, 'id'),
    link: text(row.link, reading, 'link'),
  }
}

export const readDeviceTarget = (value: unknown, reading: Reading) => {
  const row = object(value, reading)
  if (!row) return value as never
  return {
    ...row,
    device: text(row.device, reading, 'device'),
    link: text(row.link, reading, 'link'),
  }
}

export const readDomain = (value: unknown, reading: Reading) => {
  const row = object(value, reading)
  if (!row) return value as never
  return {
    ...row,
    id: integer(row.id, reading, 'id'),
    domain: text(row.domain, reading, 'domain'),
    redirectroot: textOrNull(row.redirectroot, reading, 'redirectroot'),
    redirect404: textOrNull(row.redirect404, reading, 'redirect404'),
  }
}

export const readOpenerLink = (value: unknown, reading: Reading) => {
  const row = object(value, reading)
  if (!row) return value as never
  return {
    ...row,
    id: integer(row.id, reading, 'id'),
    shorturl: text(row.shorturl, reading, 'shorturl'),
    status: text(row.status, reading, 'status'),
    provider: text(row.provider, reading, 'provider'),
    domain: text(row.domain, reading, 'domain'),
    devicetarget: list(row.devicetarget, reading, 'devicetarget', readDeviceTarget),
    'powered-by': textOrEmpty(row['powered-by'], reading, 'powered-by'),
  }
}

export const readOverlay = (value: unknown, reading: Reading) => {
  const row = object(value, reading)
  if (!row) return value as never
  return {
    ...row,
    id: integer(row.id, reading, 'id'),
    type: text(row.type, reading, 'type'),
    name: text(row.name, reading, 'name'),
    date: text(row.date, reading, 'date'),
  }
}

export const readPixel = (value: unknown, reading: Reading) => {
  const row = object(value, reading)
  if (!row) return value as never
  return {
    ...row,
    id: integer(row.id, reading, 'id'),
    type: text(row.type, reading, 'type'),
    name: text(row.name, reading, 'name'),
    tag: text(row.tag, reading, 'tag'),
    date: text(row.date, reading, 'date'),
  }
}

export const readPlatformFile = (value: unknown, reading: Reading) => {
  const row = object(value, reading)
  if (!row) return value as never
  return {
    ...row,
    id: integer(row.id, reading, 'id'),
    name: text(row.name, reading, 'name'),
    downloads: integer(row.downloads, reading, 'downloads'),
    shorturl: text(row.shorturl, reading, 'shorturl'),
    date: text(row.date, reading, 'date'),
  }
}

export const readQrCode = (value: unknown, reading: Reading) => {
  const row = object(value, reading, { date: ['data'] })
  if (!row) return value as never
  return {
    ...row,
    id: integer(row.id, reading, 'id'),
    link: text(row.link, reading, 'link'),
    scans: integer(row.scans, reading, 'scans'),
    name: textOrEmpty(row.name, reading, 'name'),
    date: text(row.date, reading, 'date'),
  }
}

export const readQrDetails = (value: unknown, reading: Reading) => {
  const row = object(value, reading)
  if (!row) return value as never
  return {
    ...row,
    details: inside(reading, 'details', () => readQrCode(row.details, reading)),
    data:
      orUndefined(row.data) === undefined
        ? undefined
        : inside(reading, 'data', () => readQrStatistics(row.data, reading)),
  }
}

export const readQrStatistics = (value: unknown, reading: Reading) => {
  const row = object(value, reading)
  if (!row) return value as never
  return {
    ...row,
    clicks: integer(row.clicks, reading, 'clicks'),
    uniqueClicks: integer(row.uniqueClicks, reading, 'uniqueClicks'),
    topCountries: counts(row.topCountries, reading, 'topCountries'),
    topReferrers: counts(row.topReferrers, reading, 'topReferrers'),
    topBrowsers: counts(row.topBrowsers, reading, 'topBrowsers'),
    topOs: counts(row.topOs, reading, 'topOs'),
    socialCount: inside(reading, 'socialCount', () => readSocialCount(row.socialCount, reading)),
  }
}

export const readSocialCount = (value: unknown, reading: Reading) => {
  const row = object(value, reading)
  if (!row) return value as never
  return {
    ...row,
    facebook: countOrZero(row.facebook, reading, 'facebook'),
    twitter: countOrZero(row.twitter, reading, 'twitter'),
    instagram: countOrZero(row.instagram, reading, 'instagram'),
  }
}

export const readSplash = (value: unknown, reading: Reading) => {
  const row = object(value, reading)
  if (!row) return value as never
  return {
    ...row,
    id: integer(row.id, reading, 'id'),
    name: text(row.name, reading, 'name'),
    date: text(row.date, reading, 'date'),
  }
}

export const readUploadedFile = (value: unknown, reading: Reading) => {
  const row = object(value, reading, { id: ['1'] })
  if (!row) return value as never
  return {
    ...row,
    id: integer(row.id, reading, 'id'),
    shorturl: text(row.shorturl, reading, 'shorturl'),
  }
}
