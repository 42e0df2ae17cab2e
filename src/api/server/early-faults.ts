import type { FaultKind } from '#platform/core/fault.ts'
import { isBelowInterns } from '../access/interns-access.ts'
import type { Route } from '../routes/route.ts'

/** Refusals that can happen before a route's handler runs. The description of every route lists them. */
export function earlyFaults(route: Pick<Route, 'key' | 'path' | 'request' | 'undeclaredBodyFault'>): FaultKind[] {
  const { key, path, request, undeclaredBodyFault = 'unsupported_media_type' } = route
  const faults: FaultKind[] = []
  if (request) faults.push('invalid')
  // A browser session that the route refuses gets `forbidden`, whatever a key gets.
  if (key !== 'none') faults.push('unauthenticated', 'forbidden')
  if (isBelowInterns(path)) faults.push('not_found')
  if (request?.body) faults.push('payload_too_large', undeclaredBodyFault)
  return faults
}
