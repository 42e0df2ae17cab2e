import { isObject } from '#platform/core/is-object.ts'
import { mapItems } from '#platform/json/map-texts.ts'
import type { ResponseNormalization } from '../../protocol/response-normalization.ts'
import { isEmptyError } from '../errors/error-body.ts'
import { type Fields, withFields } from '../with-fields.ts'

/** Converts variants of OpenAI's Responses API, such as responses with a text as `output` or with earlier event names. */
export const responsesNormalization: ResponseNormalization = {
  eventPattern: /"(?:response\.|object"\s*:\s*"response)/,
  announcementPattern: /^(?=.*"response\.output_item\.added")(?=.*"output_index"\s*:\s*\d)/s,
  isOwnResponse: (body) => isObject(body) && ('output' in body || 'output_text' in body || body.object === 'response'),
  normalizer: {
    isStandard: ({ event, data }) =>
      (data.startsWith(textDelta) && data.includes('"delta":"')) ||
      (hasType(event, data) && !nonStandardEvent.test(data) && !isNonStandardEnd(data)),
    normalizeEvent: (content, _progress, name) => normalizeEvent(content as Fields, name),
    normalizeResponse: (body) => (isObject(body) ? normalizeResponse(body) : body),
  },
}

/** The start of most events. */
const textDelta = '{"type":"response.output_text.delta"'

/** Whether the type of an event is not only in its name: it has no name, or its data has the type, too. */
const hasType = (event: string | undefined, data: string) =>
  event === undefined || event === 'message' || data.includes(`"${event}"`)

/** Matches events with other names than OpenAI's, or with an object as delta. */
const nonStandardEvent =
  /"delta"\s*:\s*\{|"response\.(?:text|reasoning|reasoning_summary|reasoning_content|cancelled)\b[."]/

/** Whether the last event of a stream lacks standard fields. Only then it is read, because it can be long. */
function isNonStandardEnd(data: string): boolean {
  if (!data.includes('"response.completed"')) return false
  return (
    !data.includes('"output_tokens"') ||
    !data.includes('"status"') ||
    (data.includes('"output_text":"') && data.includes('"output":[]'))
  )
}

/** OpenAI's name of an event for each earlier name, and for the names of other servers. */
const standardNames = new Map<unknown, string>([
  ['response.text.delta', 'response.output_text.delta'],
  ['response.text.done', 'response.output_text.done'],
  ['response.reasoning.delta', 'response.reasoning_text.delta'],
  ['response.reasoning.done', 'response.reasoning_text.done'],
  ['response.reasoning_content.delta', 'response.reasoning_text.delta'],
  ['response.reasoning_content.done', 'response.reasoning_text.done'],
  ['response.reasoning_summary.delta', 'response.reasoning_summary_text.delta'],
  ['response.reasoning_summary.done', 'response.reasoning_summary_text.done'],
  ['response.cancelled', 'response.failed'],
])

function normalizeEvent(event: Fields, name: string | undefined): Fields {
  const type = event.type ?? name
  const { delta, response, usage } = event
  const text = isObject(delta) ? (delta.text ?? delta.content) : undefined
  const whole = isObject(response) ? normalizeResponse(response) : response
  const hasUsage = isObject(whole) && whole.usage == null && isObject(usage)
  return withFields(event, {
    type: standardNames.get(type) ?? type,
    ...(typeof text === 'string' && { delta: text }),
    ...(isObject(whole) && { response: hasUsage ? { ...whole, usage } : whole }),
  })
}

/** A response with a list of items as `output`, whose contents are lists of parts. */
function normalizeResponse(response: Fields): Fields {
  const { output, output_text: text, status, error } = response
  const items = mapItems(listItems(output), normalizeItem)
  const isTextAlone = items.length === 0 && typeof text === 'string' && text !== ''
  const normalizedOutput = isTextAlone ? [toMessage(text)] : items
  return withFields(response, {
    ...((output !== undefined || isTextAlone) && { output: normalizedOutput }),
    ...(status === null && { status: 'completed' }),
    ...(isEmptyError(error) && { error: null }),
  })
}

/** The items of a response. Some servers send null among them, or one without a list. */
function listItems(output: unknown): unknown[] {
  if (Array.isArray(output)) return output.includes(null) ? output.filter((item) => item !== null) : output
  return output == null ? [] : [output]
}

function normalizeItem(item: unknown): unknown {
  if (typeof item === 'string') return toMessage(item)
  if (!isObject(item)) return item
  const { type, role, content, summary } = item
  const isMessage = type === 'message' || (type === undefined && role === 'assistant')
  if (isMessage) {
    const parts = typeof content === 'string' ? [textPart(content)] : wrapObject(content)
    const status = item.status === undefined ? { status: 'completed' } : {}
    const normalized = Array.isArray(parts) ? mapItems(parts, normalizePart) : parts
    return withFields(
      item,
      normalized === content && type === 'message' ? {} : { type: 'message', content: normalized, ...status },
    )
  }
  if (type === 'reasoning' && typeof summary === 'string')
    return { ...item, summary: summary === '' ? [] : [{ type: 'summary_text', text: summary }] }
  return type === 'tool_call' ? { ...item, type: 'function_call' } : item
}

/** Some servers send one part without a list. */
const wrapObject = (content: unknown) => (isObject(content) ? [content] : content)

const textPart = (text: string) => ({ type: 'output_text', text, annotations: [] })

function normalizePart(part: unknown): unknown {
  if (typeof part === 'string') return textPart(part)
  const isText = isObject(part) && typeof part.text === 'string' && (part.type === undefined || part.type === 'text')
  return isText ? { annotations: [], ...part, type: 'output_text' } : part
}

const toMessage = (text: string) => ({
  type: 'message',
  id: 'msg_0',
  role: 'assistant',
  status: 'completed',
  content: [textPart(text)],
})
