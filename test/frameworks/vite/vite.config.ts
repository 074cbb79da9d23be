import { toNodeHandler } from 'srvx/node'
import { type Connect, defineConfig, loadEnv } from 'vite'
import { proxy } from './proxy.ts'

const handler = toNodeHandler(proxy) as Connect.SimpleHandleFunction
const middleware: Connect.NextHandleFunction = (request, response, next) => {
  if (request.url?.startsWith('/api/shortlink/')) handler(request, response)
  else next()
}

export default defineConfig(({ mode }) => {
  // SHORTLINK_… of .env: for this process alone, because their names do not begin with VITE_.
  Object.assign(process.env, loadEnv(mode, process.cwd(), 'SHORTLINK_'))
  return {
    plugins: [
      {
        name: 'shortlink-proxy',
        configureServer: (server) => void server.middlewares.use(middleware),
        configurePreviewServer: (server) => void server.middlewares.use(middleware),
      },
    ],
  }
})
