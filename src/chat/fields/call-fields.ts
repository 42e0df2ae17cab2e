import { z } from '#platform/json/schema.ts'
import { text } from '#platform/json/text.ts'

/**
 * Fields about the call itself, the same in every kind of request body. Nested objects accept unknown keys.
 */

/** Groups requests for sticky routing and reports. The field has priority over the header `x-session-id`. */
export const SessionId = text({ max: 256 }).describe('Groups the requests of one conversation.')

/** The end user of the caller's application. */
export const EndUser = text({ max: 256 }).describe('Names the end user on whose behalf the call is made.')

export const Trace = z
  .looseObject({
    trace_id: z.string(),
    trace_name: z.string(),
    span_name: z.string(),
    generation_name: z.string(),
    parent_span_id: z.string(),
  })
  .partial()
  .describe(
    'Names for traces, also under other keys. Accepted without an effect: the header `traceparent` continues a trace.',
  )

export const Debug = z
  .looseObject({ echo_upstream_body: z.boolean().optional() })
  .describe('Returns the request sent upstream, for debugging. Streaming only.')
