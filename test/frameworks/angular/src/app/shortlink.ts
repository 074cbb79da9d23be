import { Injectable } from '@angular/core'
import { from, map, type Observable, scan } from 'rxjs'
import { type Link, ShortLinkClient } from 'shortlink-sdk'

@Injectable({ providedIn: 'root' })
export class ShortLinks {
  /** Without a key: the server's proxy adds it. */
  readonly #client = new ShortLinkClient({ baseUrl: '/api/shortlink', apiKey: null })

  /** Emits the links so far, page by page. A list is also a promise of its first page, so pass `from` its pages. */
  links(): Observable<Link[]> {
    return from(this.#client.links.list({ limit: 2 }).pages()).pipe(
      map(({ items }) => items),
      scan((all, items) => [...all, ...items]),
    )
  }
}
