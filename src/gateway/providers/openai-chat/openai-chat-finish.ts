import type { FinishReason } from '#chat/chunk.ts'
import type { CompletionEvent } from '#chat/events.ts'

/** The names of each finish reason that chat servers document, in lower case. */
const namesByReason: Record<FinishReason, readonly string[]> = {
  stop: [
    'stop',
    'stop_sequence',
    'stop_token',
    'end_turn',
    'end',
    'eos',
    'eos_token',
    'complete',
    'completed',
    'done',
    'finished',
    'success',
    'normal', // Baidu
    'endoftext', // AI21
    'eos_found', // LM Studio
    'stop_string_found', // LM Studio
    'eot', // end token
    'eot_id', // end token
    'im_end', // end token
    's', // end token
    'finish',
    'ended',
    'end_of_turn',
    'stopped',
    'finished_successfully', // ChatGPT
    'final',
    'natural',
    'natural_stop',
    'content_stop',
  ],
  length: [
    'length',
    'max_tokens',
    'max_output_tokens',
    'model_length', // Mistral
    'model_context_window_exceeded', // Z.AI
    'token_limit',
    'max_length',
    'limit',
    'max_new_tokens',
    'context_length',
    'error_limit', // Cohere
  ],
  tool_calls: ['tool_calls', 'tool_call', 'tool_use', 'function_call'],
  content_filter: [
    'content_filter',
    'safety',
    'refusal',
    // Gateways to Gemini
    'recitation',
    'blocklist',
    'prohibited_content',
    'spii',
    'image_safety',
    'image_prohibited_content',
    'image_recitation',
    'image_other',
    'no_image',
    'language',
    'blacklist', // GigaChat
    'content_filtered', // Gateways to Bedrock
    'guardrail_intervened', // Gateways to Bedrock
    'error_toxic', // Cohere
    'sensitive', // Z.AI
  ],
  error: [
    'error',
    'user_cancel', // Cohere
    'network_error', // Z.AI
    'insufficient_system_resource', // DeepSeek
    'abort', // vLLM and SGLang
    // Gateways to Gemini
    'malformed_function_call',
    'unexpected_tool_call',
    'too_many_tool_calls',
    'malformed_response',
    'missing_thought_signature',
    // Others
    'aborted',
    'engine_overloaded',
    'server_error',
    'internal_error',
    'failed',
    'canceled',
    'cancelled',
    'timeout',
  ],
}

/** Some servers omit the underscores: `endturn`. */
function withoutSeparators(name: string): string {
  return name.replaceAll('_', '')
}

const reasons = new Map(
  (Object.keys(namesByReason) as FinishReason[]).flatMap((reason) =>
    namesByReason[reason].map((name) => [withoutSeparators(name), reason] as const),
  ),
)

/** The meaning of other reasons, by a part of their name. */
const reasonPatterns: readonly [pattern: RegExp, reason: FinishReason][] = [
  [/error|exception|fail|invalid|malformed|overload|unavailable|abort|cancel|time(?:d_)?out|rate_limit/, 'error'],
  [/filter|moderat|block|policy|guardrail|safety|sensitiv|risk|prohibit|refus/, 'content_filter'],
  [/tool|function/, 'tool_calls'],
]

const findByName = (name: string) => reasons.get(withoutSeparators(name))
const findByPattern = (name: string) => reasonPatterns.find(([pattern]) => pattern.test(name))?.[1]

/** The finish event for a provider's reason. An unknown reason counts as a truncated response, never as a success. */
export function finishEvents(native: string): CompletionEvent[] {
  const name = reasons.has(native) ? native : normalizeName(native)
  // DashScope sends this text until the response ends.
  if (name === 'null' || name === 'none' || name === 'unspecified') return []
  // Google's chat server writes the reason of its model after its own: `content_filter: RECITATION`.
  const [general = '', specific = ''] = name.split(':').map((part) => part.trim())
  const reason = findByName(specific) ?? findByName(general) ?? findByPattern(name) ?? 'length'
  if (reason !== 'error') return [{ type: 'finish', reason, native }]
  return [{ type: 'error', message: `the provider ended the response with the reason "${native}"`, status: 502 }]
}

/**
 * The name in lower case with underscores, without an enum prefix (`FinishReason.STOP`), and without the brackets of a token
 * (`<|im_end|>`).
 */
function normalizeName(native: string): string {
  return native
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replaceAll('-', '_')
    .replace(/^(?:finish|stop)_?reason[._]/, '')
    .replace(/^<[|/]?(.*?)\|?>$/, '$1')
}
