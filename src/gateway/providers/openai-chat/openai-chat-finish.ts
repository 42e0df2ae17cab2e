import type { FinishReason } from '#chat/chunk.ts'
import type { AnswerEvent } from '#chat/events.ts'

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
    // Baidu
    'normal',
    // AI21
    'endoftext',
    // LM Studio
    'eos_found',
    'stop_string_found',
    // Names of end tokens
    'eot',
    'eot_id',
    'im_end',
    's',
    'finish',
    'ended',
    'final',
    'natural',
    'natural_stop',
    'content_stop',
  ],
  length: [
    'length',
    'max_tokens',
    'max_output_tokens',
    // Mistral
    'model_length',
    // Z.AI
    'model_context_window_exceeded',
    'token_limit',
    'max_length',
    'limit',
    'max_new_tokens',
    'context_length',
    // Cohere
    'error_limit',
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
    // GigaChat
    'blacklist',
    // Gateways to Bedrock
    'content_filtered',
    'guardrail_intervened',
    // Cohere
    'error_toxic',
    // Z.AI
    'sensitive',
  ],
  error: [
    'error',
    // Cohere
    'user_cancel',
    // Z.AI
    'network_error',
    // DeepSeek
    'insufficient_system_resource',
    // vLLM and SGLang
    'abort',
    // Gateways to Gemini
    'malformed_function_call',
    'unexpected_tool_call',
    'too_many_tool_calls',
    'malformed_response',
    'missing_thought_signature',
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

const reasons = new Map(
  (Object.keys(namesByReason) as FinishReason[]).flatMap((reason) =>
    namesByReason[reason].map((name) => [name, reason] as const),
  ),
)

/** The meaning of other reasons, by a part of their name. */
const reasonPatterns: readonly [pattern: RegExp, reason: FinishReason][] = [
  [/error|exception|fail|invalid|malformed|overload|unavailable|abort|cancel|time(?:d_)?out|rate_limit/, 'error'],
  [/filter|moderat|block|policy|guardrail|safety|sensitiv|risk|prohibit|refus/, 'content_filter'],
  [/tool|function/, 'tool_calls'],
]

const findByPattern = (name: string) => reasonPatterns.find(([pattern]) => pattern.test(name))?.[1]

/** The finish event. An unknown reason counts as a truncated answer, never as a success. */
export function finishEvents(native: string): AnswerEvent[] {
  const name = reasons.has(native) ? native : normalizeName(native)
  // DashScope sends this text until the answer ends.
  if (name === 'null' || name === 'none' || name === 'unspecified') return []
  // Google's chat server writes the reason of its model after its own: `content_filter: RECITATION`.
  const [general = '', specific = ''] = name.split(':').map((part) => part.trim())
  const reason = reasons.get(specific) ?? reasons.get(general) ?? findByPattern(name) ?? 'length'
  if (reason !== 'error') return [{ type: 'finish', reason, native }]
  return [{ type: 'error', message: `the provider ended the answer with the reason "${native}"`, status: 502 }]
}

/**
 * The name in lower case with underscores, without that of its enumeration, which some servers write before it, and without
 * the brackets of a token such as `<|im_end|>`.
 */
function normalizeName(native: string): string {
  return native
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replaceAll('-', '_')
    .replace(/^(?:finish|stop)_?reason[._]/, '')
    .replace(/^<[|/]?(.*?)\|?>$/, '$1')
}
