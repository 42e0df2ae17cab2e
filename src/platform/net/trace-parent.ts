import type { NewId } from '../core/id.ts'

/** A span as other services know it: W3C Trace Context. All of it is lowercase hexadecimal. */
export type SpanName = { traceId: string; spanId: string; flags: string }

const form = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(?:$|-)/

/** The span that a `traceparent` header names; undefined where it names none. */
export function readTraceParent(header: string | undefined): SpanName | undefined {
  const [, traceId, spanId, flags] = form.exec(header ?? '') ?? []
  return traceId && spanId && flags ? { traceId, spanId, flags } : undefined
}

export const writeTraceParent = ({ traceId, spanId, flags }: SpanName) => `00-${traceId}-${spanId}-${flags}`

/** A span of our own, below the one that the header names, or the first of a trace. */
export function newSpan(newId: NewId, header: string | undefined): SpanName {
  const parent = readTraceParent(header)
  return { traceId: parent?.traceId ?? hexOf(newId()), spanId: newSpanId(newId), flags: parent?.flags ?? '01' }
}

/** The end of a UUID is chance; its beginning is the time. */
export const newSpanId = (newId: NewId) => hexOf(newId()).slice(-16)

const hexOf = (uuid: string) => uuid.replaceAll('-', '')
