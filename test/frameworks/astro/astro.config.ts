import node from '@astrojs/node'
import { defineConfig } from 'astro/config'

export default defineConfig({
  adapter: node({ mode: 'standalone' }),
  server: { port: Number(process.env.PORT) || 4321 },
})
