import { rm } from 'node:fs/promises'
import starlight from '@astrojs/starlight'
import type { AstroIntegration } from 'astro'
import { defineConfig, passthroughImageService } from 'astro/config'
import linksValidator from 'starlight-links-validator'
import { clientFiles } from './site/client-files.ts'
import { codeThemes } from './site/code-themes.ts'
import { parts } from './site/folders.ts'
import { ranking } from './site/ranking.ts'
import { remarkExamples } from './site/remark-examples.ts'
import { remarkLinks } from './site/remark-links.ts'

// The folder of the server that the site is built for, such as /shortlink-sdk/.
const base = process.env.DOCS_BASE ?? '/'

// A page reaches no server but its own, and evaluates no text.
const policy = [
  "default-src 'self'",
  // Starlight has scripts and styles in the page, and its search is WebAssembly.
  "script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ')

/** Removes what Pagefind writes beside its index, because Starlight has its own search box. */
const withoutSearchBoxes: AstroIntegration = {
  name: 'without-search-boxes',
  hooks: {
    'astro:build:done': async ({ dir }) => {
      const boxes = ['ui', 'component-ui', 'modular-ui'].flatMap((name) => [`${name}.js`, `${name}.css`])
      for (const file of [...boxes, 'highlight.js']) await rm(new URL(`pagefind/pagefind-${file}`, dir))
    },
  },
}

export default defineConfig({
  base,
  trailingSlash: 'always',
  image: { service: passthroughImageService() },
  markdown: { remarkPlugins: [[remarkLinks, base], remarkExamples] },
  integrations: [
    clientFiles(),
    starlight({
      title: 'shortlink-sdk',
      description:
        'The TypeScript client for short-link servers with the API of Premium URL Shortener, with examples that run in the page.',
      favicon: '/favicon.svg',
      head: [{ tag: 'meta', attrs: { 'http-equiv': 'content-security-policy', content: policy } }],
      components: {
        Head: './src/components/Head.astro',
        MarkdownContent: './src/components/MarkdownContent.astro',
        PageTitle: './src/components/PageTitle.astro',
      },
      pagefind: { ranking },
      plugins: [linksValidator({ exclude: [`${base}playground/`] })],
      customCss: ['./src/styles/site.css', './src/styles/example.css'],
      expressiveCode: {
        themes: codeThemes,
        useStarlightUiThemeColors: true,
        // Programs are wider than a phone, and often than the column.
        defaultProps: { wrap: true, overridesByLang: { 'sh,bash,text,json': { frame: 'none' } } },
        styleOverrides: { borderRadius: '0.6rem', codeFontSize: '0.84rem', codeLineHeight: '1.75' },
      },
      sidebar: [
        { label: 'Overview', link: '/' },
        { label: 'Playground', link: '/playground/' },
        ...Object.entries(parts).map(([directory, label]) => ({ label, autogenerate: { directory } })),
      ],
    }),
    withoutSearchBoxes,
  ],
})
