import type { Envelope } from '#platform/http/response/envelope.ts'

/** Anthropic's error types by status. */
const typeByStatus: Record<number, string> = {
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

export function toErrorObject({
  code,
  message,
  metadata,
}: {
  code: number
  message: string
  metadata?: object | undefined
}) {
  const type = typeByStatus[code] ?? (code >= 500 ? 'api_error' : 'invalid_request_error')
  // Clients read Anthropic's details. Other errors have those of this service.
  const details = (metadata as { provider_details?: object } | undefined)?.provider_details ?? metadata
  return { type, message: contextMessage(metadata) ?? message, ...(details && { details }) }
}

/** Anthropic's message for an output limit without room beside the prompt. Claude Code then lowers the limit. */
const limitMessage = /exceed context limit: \d+ \+ \d+ > \d+/

/** Anthropic's message for a prompt that is too long. Its clients recognize it and shorten the prompt. */
function contextMessage(metadata: object | undefined): string | undefined {
  const { error_type, prompt_tokens, max_context_length, raw } = (metadata ?? {}) as Record<string, unknown>
  if (error_type !== 'context_length_exceeded') return undefined
  const longest = Number(max_context_length)
  const prompt = Number(prompt_tokens)
  if (prompt <= longest) return limitMessage.test(String(raw)) ? String(raw) : writeLimitMessage(prompt, longest)
  // An uncounted prompt is longer by at least one token.
  return `prompt is too long: ${Math.max(prompt || 0, longest + 1)} tokens > ${longest} maximum`
}

/** `limitMessage` for an error of another provider. The output limit is too high by at least one token. */
const writeLimitMessage = (prompt: number, longest: number) =>
  `input length and \`max_tokens\` exceed context limit: ${prompt} + ${longest - prompt + 1} > ${longest}, decrease input length or \`max_tokens\` and try again`

/** Anthropic's error envelope, and its header with the request id. */
export const messagesEnvelope: Envelope = (error, requestId) => ({
  headers: { 'request-id': requestId },
  body: { type: 'error', error: toErrorObject(error), request_id: requestId },
})
