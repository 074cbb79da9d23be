import { define, type ErrorContext, type LinkConflict, ShortLinkError, shorten } from '../errors.ts'

/** The alias that `ensure` was asked for leads to another address already. Nothing was created or changed. */
export class LinkConflictError extends ShortLinkError implements LinkConflict {
  static {
    define(LinkConflictError, 'LinkConflictError', 'link_conflict')
  }
  declare readonly code: 'link_conflict'
  /** The short address that was asked for. */
  readonly shorturl: string
  /** Where it leads. */
  readonly longurl: string

  constructor({ shorturl, longurl }: { shorturl: string; longurl: string }, context?: ErrorContext) {
    super(`${shorten(shorturl, 200)} already leads to ${shorten(longurl, 300)}`, context)
    this.shorturl = shorturl
    this.longurl = longurl
  }
}
