/** Checked by the compiler alone: types and classes that users build on the public types. */

import type { ApiPromise, ListPromise, ShortLinkClient } from 'shortlink-sdk'
import * as sdk from 'shortlink-sdk'
import { apiPromise, listPromise } from 'shortlink-sdk/testing'
import { expectTypeOf } from 'vitest'

// Exported as types only: as values, they would compile and throw.
expectTypeOf<keyof typeof sdk & ('ApiPromise' | 'ListPromise')>().toBeNever()

// A user's own interface of the calls that a program needs, and a fake of it.
interface LinkPort {
  create: ShortLinkClient['links']['create']
  list: ShortLinkClient['links']['list']
}
const port: LinkPort = {
  create: () => apiPromise({ id: 1, shorturl: 'https://sho.rt/opening' }),
  list: () => listPromise([]),
}
expectTypeOf(port.create({ url: 'https://shop.example' })).toExtend<ApiPromise<unknown>>()
expectTypeOf(port.list()).toExtend<ListPromise<unknown>>()

class ShopClient extends sdk.ShortLinkClient {
  openingLink() {
    return this.links.find('opening')
  }
}
expectTypeOf(new ShopClient().withOptions({ retry: 5 })).toEqualTypeOf<ShopClient>()
