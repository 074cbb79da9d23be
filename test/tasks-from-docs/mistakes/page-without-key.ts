import { createProxy } from 'shortlink-sdk/proxy'

// Everybody may call it.
export const handler = createProxy({ prefix: '/api/shortlink', allow: ['GET /campaigns'] })
