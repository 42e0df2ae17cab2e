import type { Caller } from '#accounts/caller.ts'
import { type AnyRoute, routeFor } from '#http/route.ts'
import type { Deps } from './deps.ts'

/** Declares one endpoint of the public API. */
export const route = routeFor<Caller, Deps>()

export type Route = AnyRoute<Caller, Deps>
