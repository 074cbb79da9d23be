import { checkOptions, checkParams, oneOf } from '../../checks/checks.ts'
import type { FormatValue } from '../../checks/mismatch.ts'
import type { ApiResponse } from '../../http/api-promise.ts'
import { type RequestOptions, requestOptionChecks } from '../../http/request-options.ts'
import type { Transport } from '../../http/transport.ts'
import type { EnsuredLink } from './link.ts'
import { linkCreate } from './params.ts'
import { type CreatesLinks, type LinkEnsure, placeLink } from './place.ts'

/** Options for `links.ensure`. */
export interface EnsureOptions extends RequestOptions {
  /**
   * What to do if the alias leads to another URL. `'suffix'`: take the first of `opening-2` … `opening-10` that is free or
   * already leads to the URL. Default: a `LinkConflictError`.
   */
  onTaken?: 'suffix' | undefined
}

const optionChecks = { ...requestOptionChecks, onTaken: oneOf(['suffix']) }

const operation = 'links.ensure'

/** Checks what is given to `links.ensure`, and looks for the link before it creates it. */
export async function ensureLink(
  api: Transport,
  links: CreatesLinks,
  params: LinkEnsure,
  options: EnsureOptions = {},
): Promise<ApiResponse<EnsuredLink>> {
  const findIssues = (show: FormatValue) => {
    const issues = [
      ...checkParams(params, linkCreate, show, Object.keys(optionChecks)),
      ...checkOptions(options, optionChecks, show),
    ]
    // Without an alias, any link to the URL would do.
    if (issues.length === 0 && !params.custom) {
      const message = 'is missing: without an alias use `create`, or `importLinks` with `reuse`'
      issues.push({ path: ['custom'], message })
    }
    return issues
  }
  api.check(findIssues, () => ({ operation }))
  const { onTaken, ...requestOptions } = api.sharedDeadline(options)
  const how = { operation, look: requestOptions, creation: requestOptions, onTaken, looksFirst: true }
  return placeLink(api, links, params, how)
}
