import { defineCollection, z } from 'astro:content'
import { docsLoader } from '@astrojs/starlight/loaders'
import { docsSchema } from '@astrojs/starlight/schema'
import type { Loader, LoaderContext } from 'astro/loaders'

/** Words that a page is searched for by, and that it need not contain. */
const keywords = z.string().default('')

type Entry = Parameters<LoaderContext['store']['set']>[0]

/**
 * A loader that stores what it has found in one go. If Astro 5 saves its store while pages are still being rendered,
 * and the last pages come during that save, it saves the old state again, and those pages are missing from the site:
 * https://github.com/withastro/astro/issues/15672.
 */
function storedAtOnce(loader: Loader): Loader {
  const load = async (context: LoaderContext) => {
    const { store } = context
    const found: Entry[] = []
    let set: typeof store.set = (entry) => found.push(entry) > 0
    await loader.load({ ...context, store: { ...store, set: (entry) => set(entry) } })
    // From now on, `astro dev` stores each page that changes.
    set = store.set
    found.forEach(set)
  }
  return { ...loader, load }
}

export const collections = {
  docs: defineCollection({
    loader: storedAtOnce(docsLoader()),
    schema: docsSchema({ extend: z.object({ keywords }) }),
  }),
}
