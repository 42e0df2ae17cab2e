import type { FaultKind } from '#platform/core/fault.ts'
import { isBelowInterns } from '../access/interns-access.ts'
import type { Route } from '../routes/route.ts'

/** Refusals that can happen before a route's handler runs. The description of every route lists them. */
export function earlyFaults(
  route: Pick<Route, 'key' | 'path' | 'request' | 'undeclaredBody' | 'wrongKey'>,
): FaultKind[] {
  const { key, path, request, undeclaredBody = 'unsupported_media_type', wrongKey = 'forbidden' } = route
  return [
    ...(request ? (['invalid'] as const) : []),
    ...(key === 'none' ? [] : (['unauthenticated'] as const)),
    ...(key === 'management' ? [wrongKey] : []),
    ...(isBelowInterns(path) ? (['forbidden', 'not_found'] as const) : []),
    ...(request?.body ? (['payload_too_large', undeclaredBody] as const) : []),
  ]
}
