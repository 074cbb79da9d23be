import { createProxy } from 'shortlink-sdk/proxy'

// The addresses and the key come from the environment.
const proxy = createProxy({ prefix: '/api/shortlink', allow: ['GET /campaigns'] })

export const GET = proxy
