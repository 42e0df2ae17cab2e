import type { FaultKind } from '#platform/core/fault.ts'
import { isBelowInterns } from '../access/interns-access.ts'
import type { Route } from '../routes/route.ts'

/** Refusals that can happen before a route's handler runs. The description of every route lists them. */
export function earlyFaults(
  route: Pick<Route, 'key' | 'path' | 'request' | 'undeclaredBody' | 'wrongKeyFault'>,
): FaultKind[] {
  const { key, path, request, undeclaredBody = 'unsupported_media_type', wrongKeyFault = 'forbidden' } = route
  const faults: FaultKind[] = []
  if (request) faults.push('invalid')
  if (key !== 'none') faults.push('unauthenticated')
  if (key === 'management') faults.push(wrongKeyFault)
  if (isBelowInterns(path)) faults.push('forbidden', 'not_found')
  if (request?.body) faults.push('payload_too_large', undeclaredBody)
  return faults
}
