/** What this SDK and its two APIs are called: in options, in the environment, in messages and in headers. */
import { VERSION } from '../runtime/version.ts'

/** The option and the variable that set a value. */
export interface SettingNames {
  readonly option: string
  readonly variable: string
}

/** The APIs, and what sets the base URL of each. */
export const apis = {
  management: { option: 'baseUrl', variable: 'SHORTLINK_BASE_URL' },
  opener: { option: 'openerUrl', variable: 'SHORTLINK_OPENER_URL' },
} as const satisfies Record<string, SettingNames>

export type ApiName = keyof typeof apis

/** What sets the API key. */
export const keyNames = { option: 'apiKey', variable: 'SHORTLINK_API_KEY' } as const satisfies SettingNames

/** What sets the scheme before the key. */
export const schemeNames = { option: 'authScheme', variable: 'SHORTLINK_AUTH_SCHEME' } as const satisfies SettingNames

/** The scheme before the key in the `Authorization` header; `raw`: none. */
export type AuthScheme = 'Bearer' | 'Token' | 'raw'

/** The default comes first. @internal */
export const authSchemes: readonly AuthScheme[] = ['Bearer', 'Token', 'raw']

/** The variables of other options. */
export const variables = { rateLimit: 'SHORTLINK_RATE_LIMIT', log: 'SHORTLINK_LOG' } as const

/** A base URL, for messages. */
export const EXAMPLE_URL = 'https://sho.rt/api'

export const SDK_NAME = 'shortlink-sdk'

export const USER_AGENT = `${SDK_NAME}/${VERSION}`

/** Formats what sets a value, for messages. */
export const formatNames = ({ option, variable }: SettingNames): string => `\`${option}\` or ${variable}`
