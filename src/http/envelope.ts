import type { Fault } from '#lib/fault.ts'
import { z } from '#lib/schema.ts'
import { faultStatus } from './faults.ts'

/** The one shape of every error. `code` is the HTTP status. */
export const ErrorEnvelope = z
  .object({
    error: z.object({
      code: z.int(),
      type: z.string().optional(),
      message: z.string(),
      metadata: z.record(z.string(), z.unknown()).optional(),
    }),
  })
  .meta({ id: 'ErrorAnswer', description: 'The one shape of every error. `code` is the HTTP status.' })
export type ErrorEnvelope = z.infer<typeof ErrorEnvelope>

/** The form of errors in one protocol, if it is not the form of this service. */
export type Envelope = (
  error: ErrorEnvelope['error'],
  requestId: string,
) => { headers?: Record<string, string>; body: object }

export type ErrorAnswer = { status: number; headers: Record<string, string>; body: object }

export function errorAnswer(fault: Fault): ErrorAnswer & { body: ErrorEnvelope } {
  const status = faultStatus[fault.kind]
  const { metadata, retryAfterSeconds, headers, type } = fault.details
  const retryAfter = retryAfterSeconds ?? (status === 429 || status === 503 ? 1 : undefined)
  return {
    status,
    headers: {
      ...(status === 401 && { 'www-authenticate': 'Bearer' }),
      ...(retryAfter !== undefined && { 'retry-after': String(Math.ceil(retryAfter)) }),
      ...headers,
    },
    body: { error: { code: status, ...(type && { type }), message: fault.message, ...(metadata && { metadata }) } },
  }
}

/** The answer to an internal error: the request id, under which the log has the details. */
function internalError(requestId: string): ErrorAnswer & { body: ErrorEnvelope } {
  const message = `Internal server error. The log has it under request id ${requestId}.`
  return { status: 500, headers: {}, body: { error: { code: 500, message } } }
}

/** An error as its request is told of it: of a fault what happened, of anything else only where to look. */
export function errorInForm(
  fault: Fault | undefined,
  requestId: string,
  envelope: Envelope | undefined,
): { status: number; headers: Record<string, string>; body: object } {
  const answer = fault ? errorAnswer(fault) : internalError(requestId)
  const { headers, body }: Partial<ErrorAnswer> = envelope?.(answer.body.error, requestId) ?? answer
  return { status: answer.status, headers: { 'x-request-id': requestId, ...answer.headers, ...headers }, body: body! }
}
