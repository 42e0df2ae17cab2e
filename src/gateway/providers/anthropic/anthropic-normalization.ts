import { isObject } from '#platform/core/is-object.ts'
import { mapItems } from '#platform/json/map-texts.ts'
import type { ResponseNormalization } from '../../protocol/response-normalization.ts'
import { isEmptyError } from '../errors/error-body.ts'
import { type Fields, withFields } from '../with-fields.ts'

/** Converts variants of Anthropic's protocol, such as responses with the usage or the finish reasons of OpenAI. */
export const anthropicNormalization: ResponseNormalization = {
  eventPattern: /"(?:message_start|message_delta|content_block_\w+)"/,
  isOwnResponse: (body) => isObject(body) && (body.type === 'message' || ('content' in body && 'stop_reason' in body)),
  normalizer: {
    // The type of an event can be in its name alone, so the data is searched for it.
    isStandard: ({ event, data }) =>
      data.startsWith(blockDelta) ||
      ((event === undefined || data.includes(`"${event}"`)) &&
        (!data.includes('"usage"') || (!openaiUsage.test(data) && !openaiReason.test(data)))),
    normalizeEvent: (content, _progress, name) => normalizeEvent(content as Fields, name),
    normalizeResponse: (body) => (isObject(body) ? addStopReason(normalizeMessage(body)) : body),
  },
}

/** The start of most events. */
const blockDelta = '{"type":"content_block_delta"'

const openaiUsage = /"(?:prompt_tokens|completion_tokens)"/
const openaiReason = /"stop_reason"\s*:\s*"(?:stop|eos|length|tool_calls|function_call|content_filter|COMPLETE|STOP)"/

/** The `stop_reason` for each finish reason of chat servers, which proxies pass on. */
const standardReasons = new Map<unknown, string>([
  ['stop', 'end_turn'],
  ['STOP', 'end_turn'],
  ['COMPLETE', 'end_turn'],
  ['eos', 'end_turn'],
  ['length', 'max_tokens'],
  ['tool_calls', 'tool_use'],
  ['function_call', 'tool_use'],
  ['content_filter', 'refusal'],
])

function normalizeEvent(event: Fields, name: string | undefined): Fields {
  const { type = name, usage, message, delta } = event
  return withFields(event, {
    type,
    ...(isObject(usage) && { usage: normalizeUsage(usage) }),
    ...(isObject(message) && { message: normalizeMessage(message) }),
    ...(type === 'message_delta' && isObject(delta) && { delta: normalizeReason(delta) }),
  })
}

function normalizeMessage(message: Fields): Fields {
  const { content, usage, error } = message
  const blocks = listBlocks(content)
  return normalizeReason(
    withFields(message, {
      ...(Array.isArray(blocks) && { content: blocks === content ? mapItems(blocks, normalizeBlock) : blocks }),
      ...(isObject(usage) && { usage: normalizeUsage(usage) }),
      ...(isEmptyError(error) && { error: undefined }),
    }),
  )
}

/** The content as blocks. Some servers send a text, one block without a list, or null among the blocks. */
function listBlocks(content: unknown): unknown {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  if (Array.isArray(content) && content.includes(null)) return content.filter((block) => block !== null)
  return isObject(content) ? [content] : content
}

/** Adds a stop reason to a whole message without one. */
function addStopReason(message: Fields): Fields {
  const { stop_reason, content } = message
  if (stop_reason != null || !Array.isArray(content)) return message
  const calls = content.some((block) => isObject(block) && block.type === 'tool_use')
  return withFields(message, { stop_reason: calls ? 'tool_use' : 'end_turn' })
}

const normalizeReason = <T extends Fields>(holder: T): T => {
  const reason = standardReasons.get(holder.stop_reason)
  return reason === undefined ? holder : withFields(holder, { stop_reason: reason })
}

function normalizeBlock(block: unknown): unknown {
  if (typeof block === 'string') return { type: 'text', text: block }
  return isObject(block) && block.type === undefined && typeof block.text === 'string'
    ? { type: 'text', ...block }
    : block
}

/** Converts usage to Anthropic's names. OpenAI counts cached tokens within the prompt. */
function normalizeUsage(usage: Fields): Fields {
  const { prompt_tokens: prompt, completion_tokens: completion, prompt_tokens_details: details } = usage
  if (prompt === undefined && completion === undefined) return usage
  const inDetails = isObject(details) && typeof details.cached_tokens === 'number' ? details.cached_tokens : undefined
  const cached = usage.cache_read_input_tokens ?? inDetails
  return withFields(usage, {
    input_tokens: usage.input_tokens ?? (inDetails === undefined ? prompt : Math.max(0, Number(prompt) - inDetails)),
    output_tokens: usage.output_tokens ?? completion,
    ...(cached !== undefined && { cache_read_input_tokens: cached }),
  })
}
