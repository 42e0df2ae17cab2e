import type { Caller } from '#identity/accounts/caller.ts'
import { type AnyRoute, routeFor } from '#platform/http/route.ts'
import type { ApiDeps } from '../access/deps.ts'

/** Declares one endpoint of the public API. */
export const route = routeFor<Caller, ApiDeps>()

export type Route = AnyRoute<Caller, ApiDeps>
