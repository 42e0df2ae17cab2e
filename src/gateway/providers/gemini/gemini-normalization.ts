import { isObject } from '#platform/core/is-object.ts'
import { mapItems } from '#platform/json/map-texts.ts'
import type { ResponseNormalization } from '../../protocol/response-normalization.ts'
import { isEmptyError } from '../errors/error-body.ts'
import { parseCounts } from '../usage-formats.ts'
import { type Fields, withFields } from '../with-fields.ts'

/** Recognizes responses of Gemini's protocol. Only its reader normalizes them, because clients never get Gemini's bytes. */
export const geminiNormalization: ResponseNormalization = {
  eventPattern: /"(?:candidates|promptFeedback|prompt_feedback|usageMetadata|usage_metadata)"/,
  isOwnResponse: (body) => {
    const [first] = Array.isArray(body) ? body : [body]
    return isObject(first) && ['candidates', 'promptFeedback', 'usageMetadata'].some((name) => name in first)
  },
}

/**
 * Converts a response to Google's form. Proxies put responses into an envelope, use the names of Python's SDK, or send enumerations as
 * numbers. Returns the same object if it already has Google's form.
 */
export function normalizeGeminiResponse(body: unknown): unknown {
  if (!isObject(body)) return body
  const inner = body.candidates === undefined && isObject(body.response) ? body.response : body
  const response = hasPythonNames(inner) ? (toCamelCaseNames(inner) as Fields) : inner
  const { candidates, usageMetadata: usage, error } = response
  if (error == null && isStandardUsage(usage) && areStandardCandidates(candidates)) return response
  return withFields(response, {
    ...(Array.isArray(candidates) && { candidates: mapItems(candidates, normalizeCandidate) }),
    ...(isObject(usage) && { usageMetadata: parseCounts(usage) }),
    ...(isEmptyError(error) && { error: undefined }),
  })
}

type Candidate = { content?: { parts?: unknown }; finishReason?: unknown } & Fields

const standardReasons: ReadonlySet<unknown> = new Set([undefined, 'STOP', 'MAX_TOKENS'])

const isStandardUsage = (usage: unknown) =>
  !isObject(usage) || (typeof usage.promptTokenCount !== 'string' && typeof usage.totalTokenCount !== 'string')

const areStandardCandidates = (candidates: unknown) =>
  !Array.isArray(candidates) ||
  candidates.every(
    (candidate: Candidate | null) =>
      standardReasons.has(candidate?.finishReason) &&
      !Array.isArray(candidate?.content) &&
      !isObject(candidate?.content?.parts),
  )

function hasPythonNames(response: Fields): boolean {
  if ('usage_metadata' in response || 'prompt_feedback' in response || 'model_version' in response) return true
  const { candidates } = response
  return Array.isArray(candidates) && candidates.some(hasPythonName)
}

function hasPythonName(candidate: Candidate | null): boolean {
  if (!isObject(candidate)) return false
  if ('finish_reason' in candidate || 'grounding_metadata' in candidate) return true
  const parts = isObject(candidate.content) ? candidate.content.parts : undefined
  return Array.isArray(parts) && parts.some((part) => isObject(part) && pythonPartNames.some((name) => name in part))
}

const pythonPartNames = ['function_call', 'inline_data', 'thought_signature', 'file_data'] as const

/** Objects whose names belong to the functions of the client. */
const clientObjects: ReadonlySet<string> = new Set(['args', 'response'])

function toCamelCaseNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toCamelCaseNames)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      const camelCase = name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
      return [camelCase, clientObjects.has(name) ? inner : toCamelCaseNames(inner)]
    }),
  )
}

/** Finish reasons by their number in the enumeration of Google's API. */
const reasonsByNumber = [
  '',
  'STOP',
  'MAX_TOKENS',
  'SAFETY',
  'RECITATION',
  'OTHER',
  'BLOCKLIST',
  'PROHIBITED_CONTENT',
  'SPII',
]
/** Gemini's finish reasons for those of other protocols, which proxies pass on. */
const reasonOfWord = new Map([
  ['TOOL_CALLS', 'STOP'],
  ['FUNCTION_CALL', 'STOP'],
  ['END_TURN', 'STOP'],
  ['LENGTH', 'MAX_TOKENS'],
  ['CONTENT_FILTER', 'SAFETY'],
])

function normalizeCandidate(candidate: unknown): unknown {
  if (!isObject(candidate)) return candidate
  const { content, finishReason: reason } = candidate
  const word = typeof reason === 'number' ? (reasonsByNumber[reason] ?? 'OTHER') : String(reason ?? '').toUpperCase()
  // Before the end, some servers send a reason that says nothing.
  const standardReason =
    word === '' || word === 'FINISH_REASON_UNSPECIFIED' ? undefined : (reasonOfWord.get(word) ?? word)
  return withFields(candidate, {
    ...(reason !== undefined && { finishReason: standardReason }),
    ...(Array.isArray(content) && { content: { role: 'model', parts: content.flatMap(listParts) } }),
    ...(isObject(content) && isObject(content.parts) && { content: { ...content, parts: [content.parts] } }),
  })
}

/** The parts of a content in a list, or a part in it. */
const listParts = (content: unknown) => (isObject(content) && Array.isArray(content.parts) ? content.parts : [content])
