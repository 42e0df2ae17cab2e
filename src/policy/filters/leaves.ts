import { isConversationField } from '#chat/conversation-fields.ts'
import { serviceOnlyFields } from '#chat/service-only-fields.ts'
import { isByUser } from './author.ts'
import { isAlmostJson, isJsonText, rewriteAlmostJson, rewriteJsonText } from './json-text.ts'
import { isPlain, rewriteReference } from './patterns/references.ts'
import {
  holdsValues,
  isPointer,
  isSchemaValue,
  isSchemaWord,
  rewritePointer,
  type SchemaPlace,
  schemaPlaceOf,
} from './schema-words.ts'
import { joinedTexts, withText } from './thought-texts.ts'
import { UniqueNames } from './unique-names.ts'

/** A text of a request, with the name of its field if it describes the text, and whether the user wrote it. */
export type Leaf = { text: string; context: string; user: boolean }

/** Returns the new text of a leaf. */
export type Rewrite = (leaf: Leaf) => string

/** Fields whose values have arbitrary names, such as metadata. */
const free = new Set(['metadata', 'variables', 'arguments'])

type LeavesPlace = {
  key: string
  /** Whether the value is the body, its list of messages or items, or within an item. */
  of: 'body' | 'list' | 'rest'
  user: boolean
  isFree: boolean
  isResult: boolean
  schema: SchemaPlace | undefined
}

const body: LeavesPlace = { key: '', of: 'body', user: false, isFree: false, isResult: false, schema: undefined }

/**
 * Rewrites every text of a request that is sent to a provider, for every kind of body (chat, responses, messages), except
 * references and fields of this service. JSON in arguments and results of tools is rewritten value by value and stays
 * valid; schemas stay schemas. Unchanged parts are the same objects as before.
 */
export function rewriteBody<Body extends object>(request: Body, rewrite: Rewrite): Body {
  return rewriteFields(request as Fields, body, rewrite) as Body
}

type Fields = Record<string, unknown>

function rewriteValue(value: unknown, place: LeavesPlace, rewrite: Rewrite): unknown {
  if (typeof value === 'string') return rewriteText(value, place, rewrite)
  if (typeof value === 'number') return place.isFree ? rewriteNumber(value, place, rewrite) : value
  if (Array.isArray(value)) return rewriteItems(value, place, rewrite)
  if (value === null || typeof value !== 'object') return value
  return rewriteFields(value as Fields, placeWithin(value as Fields, place), rewrite)
}

function rewriteText(text: string, { key, user, isFree, isResult, schema }: LeavesPlace, rewrite: Rewrite): string {
  if (text === '' || (schema && isSchemaValue(key, text))) return text
  if (schema && isPointer(key, text)) {
    return rewritePointer(text, (name) => rewrite({ text: name, context: '', user }))
  }
  if (key === 'arguments' || isResult) {
    const rewriteIn = (value: string, context: string) => rewrite({ text: value, context, user })
    if (isJsonText(text)) return rewriteJsonText(text, rewriteIn)
    if (isAlmostJson(text)) return rewriteAlmostJson(text, rewriteIn)
  }
  return rewrite({ text, context: isFree ? key : '', user })
}

function rewriteNumber(value: number, { key, user }: LeavesPlace, rewrite: Rewrite): number | string {
  const text = String(value)
  const rewritten = rewrite({ text, context: key, user })
  return rewritten === text ? value : rewritten
}

function rewriteItems(items: unknown[], place: LeavesPlace, rewrite: Rewrite): unknown[] {
  const joined = place.key === 'reasoning_details' ? rewriteThoughts(items, place, rewrite) : undefined
  const rewritten = items.map((item) => joined?.get(item) ?? rewriteValue(item, place, rewrite))
  return rewritten.some((item, i) => item !== items[i]) ? rewritten : items
}

/** The new values of thoughts in several pieces, which are filtered together. */
function rewriteThoughts(items: unknown[], place: LeavesPlace, rewrite: Rewrite): Map<unknown, Fields> {
  const texts = joinedTexts(items, (text) => rewriteText(text, { ...place, key: 'text' }, rewrite))
  const others = (piece: Fields) => rewriteFields(piece, place, rewrite)
  return new Map([...texts].map(([piece, text]) => [piece, withText(piece as Fields, text, others)]))
}

function rewriteFields(fields: Fields, place: LeavesPlace, rewrite: Rewrite): Fields {
  let changed = false
  const names = new UniqueNames()
  const rewritten = Object.entries(fields).map(([key, value]): [string, unknown] => {
    const stays = place.of === 'body' && (key === 'model' || serviceOnlyFields.has(key))
    const isFixed = stays || !isMeaningful(key, place)
    if (isFixed) names.reserve(key)
    const name = isFixed ? key : names.add(rewrite({ text: key, context: '', user: place.user }), key)
    const next = stays ? value : rewriteField(fields, key, value, place, rewrite)
    changed ||= next !== value || name !== key
    return [name, next]
  })
  return changed ? Object.fromEntries(rewritten) : fields
}

/** Whether the name of a field may itself contain a message. */
function isMeaningful(key: string, { isFree, schema }: LeavesPlace): boolean {
  if (key === '') return false
  if (schema) return !isSchemaWord(key, schema)
  return isFree || !isPlain(key)
}

function rewriteField(fields: Fields, key: string, value: unknown, place: LeavesPlace, rewrite: Rewrite): unknown {
  const within = placeOf(key, value, fields, place)
  if (typeof value !== 'string' || place.isFree || place.schema) return rewriteValue(value, within, rewrite)
  const asText = (text: string) => rewrite({ text, context: '', user: within.user })
  return rewriteReference(fields, key, value, asText) ?? rewriteText(value, within, rewrite)
}

function placeOf(key: string, value: unknown, fields: Fields, place: LeavesPlace): LeavesPlace {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  // The input of a tool call in a message. A whole request also has a field `input`, but there it is a text or an
  // array.
  const isFree =
    place.isFree || (place.schema ? holdsValues(key, place.schema) : free.has(key) || (key === 'input' && isObject))
  const user = place.user || (place.of === 'body' && (key === 'input' || key === 'prompt'))
  return {
    key,
    of: place.of === 'body' && isConversationField(key) ? 'list' : 'rest',
    user,
    isFree: isFree && !(key === 'arguments' && typeof value === 'string'),
    isResult: place.isResult || isResult(key, fields),
    schema: isFree ? undefined : schemaPlaceOf(key, isObject, place.schema),
  }
}

function isResult(key: string, { role, type }: Fields): boolean {
  if (key === 'output') return true
  return key === 'content' && (role === 'tool' || type === 'tool_result')
}

function placeWithin(fields: Fields, place: LeavesPlace): LeavesPlace {
  if (place.of !== 'list') return place
  return { ...place, of: 'rest', user: isByUser(fields, place.user) }
}
