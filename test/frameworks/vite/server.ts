import { serve } from 'srvx'
import { staticMiddleware } from 'srvx/static'
import { proxy } from './proxy.ts'

/** In production: the files of `vite build`, and the proxy. */
serve({ port: process.env.PORT ?? 3000, middleware: [staticMiddleware({ dir: 'dist' })], fetch: proxy })
