import type { NewId } from '../core/id.ts'

/** The ids of a span in W3C Trace Context, in lowercase hexadecimal. */
export type SpanContext = { traceId: string; spanId: string; flags: string }

const headerPattern = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(?:$|-)/

/** Parses a `traceparent` header; undefined if it is missing or invalid. */
export function readTraceParent(header: string | undefined): SpanContext | undefined {
  const [, traceId, spanId, flags] = headerPattern.exec(header ?? '') ?? []
  return traceId && spanId && flags ? { traceId, spanId, flags } : undefined
}

export const writeTraceParent = ({ traceId, spanId, flags }: SpanContext) => `00-${traceId}-${spanId}-${flags}`

/** Creates a child span of the one in the header, or the first span of a trace. */
export function newSpan(newId: NewId, header: string | undefined): SpanContext {
  const parent = readTraceParent(header)
  return { traceId: parent?.traceId ?? toHex(newId()), spanId: newSpanId(newId), flags: parent?.flags ?? '01' }
}

/** Uses the random end of a UUID; its start is the time. */
export const newSpanId = (newId: NewId) => toHex(newId()).slice(-16)

const toHex = (uuid: string) => uuid.replaceAll('-', '')
