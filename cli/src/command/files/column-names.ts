import { parameterNames } from '../../tasks/rows.ts'

/** The names that exports of other programs have, without case, spaces and signs. */
export const otherNames: Readonly<Record<string, string>> = {
  ...named('url', 'longurl destination destinationurl originalurl target linkto'),
  ...named('custom', 'alias customalias slug keyword backhalf slashtag shortcode path key custombitlink'),
}

function named(parameter: string, names: string): Record<string, string> {
  return Object.fromEntries(names.split(' ').map((name) => [name, parameter]))
}

/** Returns a name without case, spaces and signs. */
export const plain = (name: string): string =>
  name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')

/** Returns the parameter of a link that a name means. The parameters of UTM keep their names. */
export function parameterOf(name: string): string | undefined {
  const text = plain(name)
  if (/^utm./.test(text)) return `utm_${text.slice(3)}`
  return parameterNames.includes(text) ? text : Object.hasOwn(otherNames, text) ? otherNames[text] : undefined
}
