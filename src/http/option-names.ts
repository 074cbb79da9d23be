/** What messages call the options that a user may have to change. */
export interface OptionNames {
  /** Before a problem: `apiKey: is empty`. */
  readonly key: string
  readonly apiKey: string
  readonly authScheme: string
  readonly baseUrl: string
  readonly openerUrl: string
  readonly allowInsecureHttp: string
  readonly headers: string
}

/** The names in code. */
let names: OptionNames = {
  key: 'apiKey',
  apiKey: '`apiKey` or SHORTLINK_API_KEY',
  authScheme: '`authScheme`',
  baseUrl: '`baseUrl` or SHORTLINK_BASE_URL',
  openerUrl: '`openerUrl` or SHORTLINK_OPENER_URL',
  allowInsecureHttp: 'allowInsecureHttp',
  headers: '`headers`',
}

/** The names for the messages that are made now. */
export const optionNames = (): OptionNames => names

/**
 * Sets the names, for a program whose users set other things than options in code, such as the command. Returns a function that restores
 * the earlier ones.
 */
export function setOptionNames(own: OptionNames): () => void {
  const before = names
  names = own
  return () => {
    names = before
  }
}
