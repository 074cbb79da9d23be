import { type Endpoints, list } from '../endpoint.ts'

/** The endpoints of resources that can only be listed. */
export const lists = {
  'GET /overlay': (call) => list(call, 'cta', call.data.overlays),
  'GET /splash': (call) => list(call, 'splash', call.data.splash),
} satisfies Endpoints
