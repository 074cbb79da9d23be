import { type Endpoints, list } from '../endpoint.ts'

export const overlays: Endpoints = {
  'GET /overlay': (call) => list(call, 'cta', call.data.overlays),
}
