import { version } from '#platform/core/version.ts'
import { HttpResponse } from '#platform/http/route.ts'
import { z } from '#platform/json/schema.ts'
import type { Readiness } from '../../status/readiness.ts'

export const ReadinessResponse = z.object({ status: z.enum(['ready', 'not_ready']), version: z.string() })

/** Status 200 while this server can process completions, and 503 otherwise. */
export function toReadinessResponse(readiness: Pick<Readiness, 'problem'>) {
  const reason = readiness.problem()
  if (reason === undefined) return { status: 'ready' as const, version }
  return new HttpResponse(503, { 'retry-after': '1' }, { status: 'not_ready', version }, reason)
}
