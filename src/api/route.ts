import type { Caller } from '#accounts/caller.ts'
import { type AnyRoute, routeFor } from '#http/route.ts'
import type { ApiDeps } from './deps.ts'

/** Declares one endpoint of the public API. */
export const route = routeFor<Caller, ApiDeps>()

export type Route = AnyRoute<Caller, ApiDeps>
