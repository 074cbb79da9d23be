import { type Endpoints, list } from '../endpoint.ts'

export const splash: Endpoints = {
  'GET /splash': (call) => list(call, 'splash', call.data.splash),
}
