import { isObject } from '#platform/core/is-object.ts'
import { parseJsonOr } from '#platform/core/parse-json.ts'
import { mapItems } from '#platform/json/map-texts.ts'
import type { SseEvent } from '#platform/net/sse.ts'
import type { ResponseNormalization, StreamProgress } from '../../../protocol/response-normalization.ts'
import { isEmptyError } from '../../errors/error-body.ts'
import { type Fields, withFields } from '../../with-fields.ts'
import { textCallFormats } from '../text-calls/text-call-formats.ts'
import { TextCallFilter, withTextCalls } from '../text-calls/text-calls.ts'
import { CumulativeTextFilter } from './cumulative-text.ts'
import { isStandardMessage, normalizeMessage } from './openai-chat-message.ts'
import { readNativeResponse } from './openai-chat-native-apis.ts'
import { findSources, sourceFields, toAnnotation } from './openai-chat-source-lists.ts'
import { ReasoningSeparator, separateReasoning } from './tagged-reasoning.ts'

/** The field of a choice with its content: `delta` in a stream, `message` in a whole response. */
type MessageField = 'delta' | 'message'

/**
 * Converts variants of OpenAI's chat completions: responses in an envelope, or with the fields of another API
 * (docs/decisions/0286).
 */
export const chatNormalization: ResponseNormalization = {
  eventPattern: /"choices"/,
  isOwnResponse: (body) => isObject(body) && 'choices' in body,
  normalizer: {
    isStandard: ({ data }: SseEvent) => standardDelta.test(data) && !nonStandardField.test(data),
    normalizeEvent: (content, progress) =>
      normalizeCompletion(content, 'delta', progress.choiceCount, progress) as object,
    normalizeResponse: (body, { endpoint: { compatibility = {} }, choiceCount, toolNames }) => {
      const completion = isStandardCompletion(body, choiceCount)
        ? body
        : normalizeCompletion(body, 'message', choiceCount)
      const separated = compatibility.reasoningTags ? separateReasoning(completion) : completion
      const callFormat = compatibility.textToolCalls && textCallFormats[compatibility.textToolCalls]
      return callFormat && toolNames ? withTextCalls(separated, callFormat, toolNames) : separated
    },
  },
  createFilters: ({ endpoint: { compatibility = {} }, choiceCount, toolNames }) => {
    const { cumulativeText, reasoningTags, textToolCalls } = compatibility
    return [
      ...(cumulativeText ? [new CumulativeTextFilter()] : []),
      ...(reasoningTags ? [new ReasoningSeparator(choiceCount)] : []),
      ...(textToolCalls && toolNames ? [new TextCallFilter(textCallFormats[textToolCalls], toolNames)] : []),
    ]
  },
}

const standardDelta = /"delta"\s*:\s*\{/

/** Matches fields that a standard chunk does not have, or has with another type. Quotes within strings are escaped. */
const nonStandardField = new RegExp(
  [
    // Fields of other APIs.
    String.raw`"(?:message|text|toolCalls|parameters|input|args|stop_reason|finishReason|context|web_search|search_info|references|executed_tools|image|file)"\s*:\s*["[{]`,
    // Lists of parts, numbers and objects instead of text, and lists that are not empty.
    String.raw`"(?:content|reasoning|reasoning_content|thinking_blocks|annotations|images|citations|search_results|multi_mod_content|provider_specific_fields|vertex_ai_grounding_metadata)"\s*:\s*(?:\d|\[\s*[^\s\]]|\{)`,
    // An error, which is empty in responses that succeeded.
    String.raw`"error"\s*:\s*\{`,
    // One call without a list, or the list as text.
    String.raw`"tool_calls"\s*:\s*["{]`,
    // The end of a stream of Cohere.
    String.raw`"type"\s*:\s*"message-end"`,
    // A finish reason that is neither a text nor null.
    String.raw`"finish_reason"\s*:\s*[^\s"n]`,
    // The number of a further choice, and numbers as text. The number of a call is before its other fields.
    String.raw`"index"\s*:\s*(?:"|[1-9]\d*(?!\d|\s*,\s*"(?:id|type|function)"))`,
    // Usage within the message.
    String.raw`"usage"\s*:\s*\{[^{}]*\}\s*\}\s*,`,
  ].join('|'),
)

/** Whether a whole response needs no normalization. A fast check: false is inconclusive. */
function isStandardCompletion(body: unknown, choiceCount: number): boolean {
  const choices = (body as { choices?: unknown } | null)?.choices
  if (
    !Array.isArray(choices) ||
    choices.length === 0 ||
    choices.length > choiceCount ||
    (body as Fields).error ||
    sourceFields.some((name) => name in (body as Fields))
  )
    return false
  return choices.every(
    (choice: Fields | null) => typeof choice?.finish_reason === 'string' && isStandardMessage(choice.message),
  )
}

function normalizeCompletion(
  body: unknown,
  field: MessageField,
  choiceCount: number,
  progress?: StreamProgress,
): unknown {
  const completion = isObject(body) && body.choices != null ? body : unwrapEnvelope(body, field)
  if (!isObject(completion) || completion.choices == null) return completion
  const listedChoices = listChoices(completion.choices)
  const normalizedChoices =
    listedChoices && mapItems(listedChoices, (choice) => normalizeChoice(choice, field, progress))
  const joined = normalizedChoices && choiceCount === 1 ? joinChoices(normalizedChoices, field) : normalizedChoices
  const choices = addSources(completion, joined, field, progress)
  const { error } = completion
  const hasError = !isEmptyError(error)
  return withFields(completion, {
    ...(choices && { choices }),
    ...(!hasError && { error: undefined }),
    ...findUsage(completion, choices, field),
  })
}

const envelopes = ['result', 'data', 'output', 'response', 'body'] as const

/**
 * The response in the field of an envelope, as Cloudflare and many company gateways send it. A response of a server's own API
 * gets the fields of a completion.
 */
function unwrapEnvelope(body: unknown, field: MessageField): unknown {
  if (!isObject(body)) return readNativeResponse(body, field) ?? body
  if (typeof body.body === 'string') return unwrapTextEnvelope(body, field)
  const contents = envelopes.map((name) => body[name]).filter(isObject)
  const sharedFields: Fields = {}
  if (body.usage !== undefined) sharedFields.usage = body.usage
  if (body.id !== undefined) sharedFields.id = body.id
  const completion = contents.find(({ choices }) => choices != null)
  if (completion) return { ...sharedFields, ...completion }
  const ownResponse = readNativeResponse(body, field)
  if (ownResponse) return ownResponse
  const response = contents.map((content) => readNativeResponse(content, field)).find((native) => native !== undefined)
  return response ? { ...sharedFields, ...response } : body
}

/** The response in the body of a response of AWS Lambda, which is a text beside its status. */
function unwrapTextEnvelope({ body, statusCode }: Fields, field: MessageField): unknown {
  const content = parseJsonOr(body as string, undefined)
  if (!isObject(content)) return { error: { message: body, status: statusCode } }
  const { error } = content
  return isObject(error) ? { ...content, error: { status: statusCode, ...error } } : unwrapEnvelope(content, field)
}

/** The choices as a list without nulls. Some servers send one choice, or an object with their numbers. */
function listChoices(choices: unknown): Fields[] | undefined {
  if (Array.isArray(choices)) return choices.every(isObject) ? choices : choices.filter(isObject)
  if (!isObject(choices)) return undefined
  if ('message' in choices || 'delta' in choices) return [choices]
  return Object.values(choices).filter(isObject)
}

function normalizeChoice(choice: Fields, field: MessageField, progress: StreamProgress | undefined): Fields {
  const changes = readFinishReason(choice)
  const message = normalizeMessage(findMessage(choice, field))
  if (message !== undefined) changes[field] = message
  if (typeof choice.index === 'string' && /^\d+$/.test(choice.index)) changes.index = Number(choice.index)
  const normalized = withFields(choice, changes)
  return field === 'delta' && progress ? addWholeMessage(normalized, progress) : normalized
}

/**
 * The choices as one. GitHub Copilot sends the text and the calls of a response as separate choices, although the request asks
 * for one. In a stream they come in different events.
 */
function joinChoices(choices: Fields[], field: MessageField): Fields[] {
  const [first] = choices
  if (!first || (choices.length === 1 && (typeof first.index !== 'number' || first.index === 0))) return choices
  if (choices.length === 1) return [{ ...first, index: 0 }]
  const messages = choices.map((choice) => choice[field]).filter(isObject)
  const calls = messages.flatMap(({ tool_calls }) => (Array.isArray(tool_calls) ? tool_calls : []))
  const message = {
    ...(Object.assign({}, ...messages.toReversed().map(withoutEmptyFields)) as Fields),
    ...(calls.length > 0 && { tool_calls: calls }),
  }
  const reasons = choices.map(({ finish_reason }) => finish_reason)
  const finish_reason = reasons.find((reason) => reason === 'tool_calls') ?? reasons.find((reason) => reason != null)
  return [{ ...first, index: 0, [field]: message, finish_reason: finish_reason ?? null }]
}

/** The fields of a message that have a value, so that those of other choices do not hide them. */
function withoutEmptyFields(message: Fields): Fields {
  return Object.fromEntries(Object.entries(message).filter(([, value]) => value != null && value !== ''))
}

/** The message or delta of a choice. Some servers send a list of messages, or a delta in a whole response. */
function findMessage({ delta, message, messages }: Fields, field: MessageField): unknown {
  if (field === 'delta') return delta ?? undefined
  return message ?? delta ?? (Array.isArray(messages) ? messages.findLast(isObject) : undefined)
}

/**
 * Adds the text or the calls that some servers send only in a message at the end of the stream. A message in the place of
 * a delta repeats the content of the stream.
 */
function addWholeMessage(choice: Fields, progress: StreamProgress): Fields {
  const { delta, message } = choice
  const whole = isObject(message) ? normalizeMessage(message) : undefined
  if (!isObject(whole) || (isObject(delta) && delta.content)) return choice
  if (!isObject(delta) && !progress.hasText && !progress.hasCalls) return choice
  const missing: Fields = {}
  if (!progress.hasText && typeof whole.content === 'string' && whole.content !== '') missing.content = whole.content
  if (!progress.hasCalls && Array.isArray(whole.tool_calls)) missing.tool_calls = addIndexes(whole.tool_calls)
  if (isObject(delta) && Object.keys(missing).length === 0) return choice
  return withFields(choice, { delta: { ...(delta as Fields | undefined), ...missing }, message: undefined })
}

const addIndexes = (calls: unknown[]) => calls.filter(isObject).map((call, index) => ({ ...call, index }))

/** The finish reason as text. Some servers send an object or whether the response ended, or have it in another field. */
function readFinishReason({ finish_reason: reason, finishReason, stop_reason: other }: Fields): Fields {
  if (typeof reason === 'string') return {}
  if (reason == null) {
    const namedReason = [finishReason, other].find((one) => typeof one === 'string' && one !== '')
    return namedReason === undefined ? {} : { finish_reason: namedReason }
  }
  const { type, reason: inner, value } = isObject(reason) ? reason : ({ type: reason } as Fields)
  const word = [type, inner, value].find((one) => one != null)
  if (word === false) return { finish_reason: null }
  return { finish_reason: word === true ? 'stop' : String(word) }
}

/** Usage that a server has in the message instead of the response. */
function findUsage({ usage }: Fields, choices: Fields[] | undefined, field: MessageField): Fields {
  const first = choices?.[0]?.[field]
  const inner = isObject(first) ? first.usage : undefined
  return usage == null && isObject(inner) ? { usage: inner } : {}
}

/** The sources that a server has beside the text, as annotations of the message. A stream sends them once. */
function addSources(
  completion: Fields,
  choices: Fields[] | undefined,
  field: MessageField,
  progress: StreamProgress | undefined,
): Fields[] | undefined {
  const [first, ...others] = choices ?? []
  const message = first?.[field]
  if (!first || !isObject(message) || progress?.hasSources || hasItems(message.annotations)) return choices
  const sources = findSources(completion, message)
  if (sources.length === 0) return choices
  return [{ ...first, [field]: { ...message, annotations: sources.map(toAnnotation) } }, ...others]
}

const hasItems = (list: unknown) => Array.isArray(list) && list.length > 0
