import type { FaultEffect } from '../faults/faults.ts'
import type { RateDecision } from './rate-window.ts'
import type { SandboxRequest } from './request-log.ts'
import type { PlatformResponse } from './response.ts'
import type { RouteMatch } from './routes.ts'

/** A request in the sandbox. The log, limit, fault, route, work and headers each add to it. */
export interface Exchange {
  readonly request: Request
  readonly entry: SandboxRequest
  readonly hasKey: boolean
  /** The decision of the rate limit, if there is one. */
  limit: RateDecision | undefined
  fault: FaultEffect
  /** The endpoints at its path, one for each method. */
  routes: readonly RouteMatch[]
  reply: PlatformResponse
}

/** Finds the endpoint for the method of a request. */
export const findRoute = ({ request, routes }: Exchange): RouteMatch | undefined =>
  routes.find(({ method }) => method === request.method)
