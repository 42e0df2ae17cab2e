import type { Fault } from '../../core/fault.ts'
import { z } from '../../json/schema.ts'
import { faultStatus } from './faults.ts'

/** Error codes that clients look for by name, instead of the HTTP status. */
const namedCodes = ['context_length_exceeded'] as const
const isNamed = (type: unknown): type is (typeof namedCodes)[number] => namedCodes.includes(type as never)

/** The shape of every error. `code` is the HTTP status, except for the named codes. */
export const ErrorEnvelope = z
  .object({
    error: z.object({
      code: z.union([z.int(), z.enum(namedCodes)]),
      type: z.string().optional(),
      message: z.string(),
      metadata: z.record(z.string(), z.unknown()).optional(),
    }),
  })
  .meta({
    id: 'ErrorAnswer',
    description:
      'The format of every error. `code` is the HTTP status, or `context_length_exceeded` if a prompt is too long for every endpoint.',
  })
type NamedError = z.infer<typeof ErrorEnvelope>
/** An error before it gets its named code, if it has one. */
export type ErrorEnvelope = { error: Omit<NamedError['error'], 'code'> & { code: number } }

/** The form of errors in one protocol, if it is not the form of this service. */
export type Envelope = (
  error: ErrorEnvelope['error'],
  requestId: string,
) => { headers?: Record<string, string>; body: object }

type ErrorResponse = { status: number; headers: Record<string, string>; body: object }

/** Returns the header `Retry-After` of a fault. Every 429 and 503 has one: a second, if the duration is not known. */
export function retryAfterHeader({ kind, details }: Fault): { 'retry-after'?: string } {
  const status = faultStatus[kind]
  const seconds = details.retryAfterSeconds ?? (status === 429 || status === 503 ? 1 : undefined)
  return seconds === undefined ? {} : { 'retry-after': String(Math.ceil(seconds)) }
}

export function toErrorResponse(fault: Fault): ErrorResponse & { body: ErrorEnvelope } {
  const status = faultStatus[fault.kind]
  const { metadata, headers, type } = fault.details
  return {
    status,
    headers: {
      ...(status === 401 && { 'www-authenticate': 'Bearer' }),
      ...retryAfterHeader(fault),
      ...headers,
    },
    body: { error: { code: status, ...(type && { type }), message: fault.message, ...(metadata && { metadata }) } },
  }
}

/** The response to an internal error: the request id, under which the log has the details. */
function internalError(requestId: string): ErrorResponse & { body: ErrorEnvelope } {
  const message = `Internal server error. The log has it under request id ${requestId}.`
  return { status: 500, headers: {}, body: { error: { code: 500, message } } }
}

/** Keeps the HTTP status as `code` of every error, for clients that validate it as a number. */
export const numericCodes: Envelope = (error) => ({ body: { error } })

function withNamedCode(error: ErrorEnvelope['error']): NamedError {
  const type = error.metadata?.error_type
  return { error: isNamed(type) ? { ...error, code: type } : error }
}

/**
 * Converts an error for its client: a fault with its message, any other error with the id of its request, under which
 * the log has it.
 */
export function buildErrorResponse(
  fault: Fault | undefined,
  requestId: string,
  envelope: Envelope | undefined,
): { status: number; headers: Record<string, string>; body: object } {
  const response = fault ? toErrorResponse(fault) : internalError(requestId)
  const { headers, body }: Partial<ErrorResponse> = envelope
    ? envelope(response.body.error, requestId)
    : { body: withNamedCode(response.body.error) }
  return {
    status: response.status,
    headers: { 'x-request-id': requestId, ...response.headers, ...headers },
    body: body!,
  }
}
