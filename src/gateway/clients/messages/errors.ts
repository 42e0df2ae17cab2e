import type { Envelope } from '#platform/http/response/envelope.ts'

/** Anthropic's error types by status. */
const types: Record<number, string> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  408: 'timeout_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  503: 'overloaded_error',
  504: 'timeout_error',
  529: 'overloaded_error',
}

export function errorOf({ code, message, metadata }: { code: number; message: string; metadata?: object | undefined }) {
  const type = types[code] ?? (code >= 500 ? 'api_error' : 'invalid_request_error')
  // Clients of Anthropic read its own details; other errors have the service's.
  const details = (metadata as { provider_details?: object } | undefined)?.provider_details ?? metadata
  return { type, message: contextMessage(metadata) ?? message, ...(details && { details }) }
}

/** Anthropic's words for a prompt that is too long, by which its clients know that they must shorten it. */
function contextMessage(metadata: object | undefined): string | undefined {
  const { error_type, prompt_tokens, max_context_length } = (metadata ?? {}) as Record<string, unknown>
  if (error_type !== 'context_length_exceeded') return undefined
  const longest = Number(max_context_length)
  // A prompt that no server has counted is longer by at least one token.
  return `prompt is too long: ${Math.max(Number(prompt_tokens) || 0, longest + 1)} tokens > ${longest} maximum`
}

/** Anthropic's envelope, and the header by which its clients name a request. */
export const messagesEnvelope: Envelope = (error, requestId) => ({
  headers: { 'request-id': requestId },
  body: { type: 'error', error: errorOf(error), request_id: requestId },
})
