import type { Context } from '@opentelemetry/api'
import { readTraceParent } from '#platform/net/trace-parent.ts'

/** Returns the span of the caller, which the `traceparent` header names. */
export function callerContext(
  { ROOT_CONTEXT, trace }: typeof import('@opentelemetry/api'),
  traceParent: string | undefined,
): Context {
  const span = readTraceParent(traceParent)
  if (!span) return ROOT_CONTEXT
  const { traceId, spanId, flags } = span
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true })
}
