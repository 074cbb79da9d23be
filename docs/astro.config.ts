import starlight from '@astrojs/starlight'
import { defineConfig, passthroughImageService } from 'astro/config'
import { clientFiles } from './site/client-files.ts'
import { codeMeasures, codeTheme } from './site/colors.ts'
import { parts } from './site/folders.ts'
import { hovers, hoversOncePerPage } from './site/hovers.ts'
import { markCode } from './site/mark-code.ts'
import { relocatable } from './site/relocatable.ts'
import { remarkExamples } from './site/remark-examples.ts'
import { remarkLinks } from './site/remark-links.ts'

export default defineConfig({
  trailingSlash: 'always',
  image: { service: passthroughImageService() },
  markdown: { remarkPlugins: [remarkLinks, remarkExamples] },
  integrations: [
    clientFiles(),
    starlight({
      title: 'shortlink-sdk',
      description:
        'The TypeScript client for short-link servers with the API of Premium URL Shortener, with examples that run in the page.',
      favicon: '/favicon.svg',
      // Search has its own index, which needs no WebAssembly and so no exception in the policy.
      pagefind: false,
      // Relative addresses would lead nowhere in it: public/404.html has none that it loads.
      disable404Route: true,
      components: {
        Search: './src/components/Search.astro',
        Head: './src/components/Head.astro',
        MarkdownContent: './src/components/MarkdownContent.astro',
        PageTitle: './src/components/PageTitle.astro',
      },
      customCss: ['./src/styles/site.css', './src/styles/example.css'],
      expressiveCode: {
        themes: [codeTheme('dark'), codeTheme('light')],
        plugins: [markCode, hovers],
        useStarlightUiThemeColors: true,
        // Programs are wider than a phone, and often than the column.
        defaultProps: { wrap: true, overridesByLang: { 'sh,bash,text,json': { frame: 'none' } } },
        styleOverrides: {
          borderRadius: '0.6rem',
          codeFontSize: codeMeasures.size,
          codeLineHeight: codeMeasures.lineHeight,
          codePaddingBlock: codeMeasures.paddingBlock,
          codePaddingInline: codeMeasures.paddingInline,
        },
      },
      sidebar: [
        { label: 'Overview', link: '/' },
        { label: 'Playground', link: '/playground/' },
        ...Object.entries(parts).map(([directory, label]) => ({ label, autogenerate: { directory } })),
      ],
    }),
    hoversOncePerPage(),
    relocatable(),
  ],
})
