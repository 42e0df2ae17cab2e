import { isConversationField } from '#chat/fields/conversation-fields.ts'
import { serviceOnlyFields } from '#chat/fields/service-only-fields.ts'
import { isObject } from '#platform/core/is-object.ts'
import { isWrittenByUser } from './author.ts'
import { isJsonText, looksLikeJson, rewriteInvalidJson, rewriteJsonText } from './json-text.ts'
import { rewriteJoined, withText } from './reasoning-texts.ts'
import { isIdentifier, rewriteReference } from './references.ts'
import {
  containsData,
  isPointer,
  isSchemaKeyword,
  isSchemaValue,
  rewritePointer,
  type SchemaPosition,
  schemaPositionOf,
} from './schema-keywords.ts'
import { UniqueNames } from './unique-names.ts'

/** A text of a request, with the name of its field if it describes the text, and whether the user wrote it. */
export type Leaf = { text: string; context: string; isByUser: boolean }

/** Returns the new text of a leaf. */
type Rewrite = (leaf: Leaf) => string

/** Fields whose values have arbitrary names, such as metadata. */
const freeFormFields = new Set(['metadata', 'variables', 'arguments'])

type FieldPosition = {
  key: string
  /** The body itself, its list of messages or items, or anything below. */
  level: 'body' | 'list' | 'nested'
  isByUser: boolean
  /** Whether names and values below are arbitrary, so that both are filtered. */
  isFreeForm: boolean
  /** Whether a text can be JSON: the input or the result of a tool. */
  canBeJson: boolean
  /** The position in a JSON Schema; undefined outside of schemas. */
  schema: SchemaPosition | undefined
}

const bodyPosition: FieldPosition = {
  key: '',
  level: 'body',
  isByUser: false,
  isFreeForm: false,
  canBeJson: false,
  schema: undefined,
}

/**
 * Rewrites every text of a request that is sent to a provider, except references and fields of this service. It supports every
 * kind of body: chat, responses and messages. JSON in arguments and results of tools is rewritten value by value and stays
 * valid; schemas stay schemas. Unchanged parts are the same objects as before.
 */
export function rewriteBody<Body extends object>(request: Body, rewrite: Rewrite): Body {
  return rewriteFields(request as Fields, bodyPosition, rewrite) as Body
}

type Fields = Record<string, unknown>

function rewriteValue(value: unknown, position: FieldPosition, rewrite: Rewrite): unknown {
  if (typeof value === 'string') return rewriteText(value, position, rewrite)
  if (typeof value === 'number') return position.isFreeForm ? rewriteNumber(value, position, rewrite) : value
  if (Array.isArray(value)) return rewriteItems(value, position, rewrite)
  if (value === null || typeof value !== 'object') return value
  return rewriteFields(value as Fields, positionOfItem(value as Fields, position), rewrite)
}

function rewriteText(
  text: string,
  { key, isByUser, isFreeForm, canBeJson, schema }: FieldPosition,
  rewrite: Rewrite,
): string {
  if (text === '' || (schema && isSchemaValue(key, text))) return text
  if (schema && isPointer(key, text)) {
    return rewritePointer(text, (name) => rewrite({ text: name, context: '', isByUser }))
  }
  if (key === 'arguments' || canBeJson) {
    const rewriteJsonValue = (value: string, context: string) => rewrite({ text: value, context, isByUser })
    if (isJsonText(text)) return rewriteJsonText(text, rewriteJsonValue)
    if (looksLikeJson(text)) return rewriteInvalidJson(text, rewriteJsonValue)
  }
  return rewrite({ text, context: isFreeForm ? key : '', isByUser })
}

function rewriteNumber(value: number, { key, isByUser }: FieldPosition, rewrite: Rewrite): number | string {
  const text = String(value)
  const rewritten = rewrite({ text, context: key, isByUser })
  return rewritten === text ? value : rewritten
}

function rewriteItems(items: unknown[], position: FieldPosition, rewrite: Rewrite): unknown[] {
  const newThoughts = position.key === 'reasoning_details' ? rewriteReasoning(items, position, rewrite) : undefined
  const rewritten = items.map((item) => newThoughts?.get(item) ?? rewriteValue(item, position, rewrite))
  return rewritten.some((item, i) => item !== items[i]) ? rewritten : items
}

/** The new values of thoughts in several pieces, which are filtered together. */
function rewriteReasoning(items: unknown[], position: FieldPosition, rewrite: Rewrite): Map<unknown, Fields> {
  const texts = rewriteJoined(items, (text) => rewriteText(text, { ...position, key: 'text' }, rewrite))
  const rewriteOthers = (piece: Fields) => rewriteFields(piece, position, rewrite)
  return new Map([...texts].map(([piece, text]) => [piece, withText(piece as Fields, text, rewriteOthers)]))
}

function rewriteFields(fields: Fields, position: FieldPosition, rewrite: Rewrite): Fields {
  let changed = false
  const names = new UniqueNames()
  const rewritten = Object.entries(fields).map(([key, value]): [string, unknown] => {
    const keepsField = position.level === 'body' && (key === 'model' || serviceOnlyFields.has(key))
    const keepsName = keepsField || !isFilteredName(key, position)
    if (keepsName) names.reserve(key)
    const name = keepsName ? key : names.add(rewrite({ text: key, context: '', isByUser: position.isByUser }), key)
    const newValue = keepsField ? value : rewriteField(fields, key, value, position, rewrite)
    changed ||= newValue !== value || name !== key
    return [name, newValue]
  })
  return changed ? Object.fromEntries(rewritten) : fields
}

/** Whether the name of a field is filtered like a text, because it is arbitrary. */
function isFilteredName(key: string, { isFreeForm, schema }: FieldPosition): boolean {
  if (key === '') return false
  if (schema) return !isSchemaKeyword(key, schema)
  return isFreeForm || !isIdentifier(key)
}

function rewriteField(fields: Fields, key: string, value: unknown, position: FieldPosition, rewrite: Rewrite): unknown {
  const fieldPosition = positionOfField(key, value, fields, position)
  if (typeof value !== 'string' || position.isFreeForm || position.schema)
    return rewriteValue(value, fieldPosition, rewrite)
  const rewriteAsText = (text: string) => rewrite({ text, context: '', isByUser: fieldPosition.isByUser })
  return rewriteReference(fields, key, value, rewriteAsText) ?? rewriteText(value, fieldPosition, rewrite)
}

function positionOfField(key: string, value: unknown, fields: Fields, position: FieldPosition): FieldPosition {
  // An object in `input` is the input of a tool call. A whole request also has a field `input`, with a text or an array.
  const isFreeForm =
    position.isFreeForm ||
    (position.schema
      ? containsData(key, position.schema)
      : freeFormFields.has(key) || (key === 'input' && isObject(value)))
  const isByUser = position.isByUser || (position.level === 'body' && (key === 'input' || key === 'prompt'))
  return {
    key,
    level: position.level === 'body' && isConversationField(key) ? 'list' : 'nested',
    isByUser,
    // Arguments as text are JSON, in which `rewriteText` finds the names of the fields.
    isFreeForm: isFreeForm && !(key === 'arguments' && typeof value === 'string'),
    canBeJson: position.canBeJson || isJsonField(key, fields),
    schema: isFreeForm ? undefined : schemaPositionOf(key, isObject(value), position.schema),
  }
}

function isJsonField(key: string, { role, type }: Fields): boolean {
  if (key === 'output') return true
  if (key === 'input') return type === 'tool_use'
  return key === 'content' && (role === 'tool' || type === 'tool_result')
}

function positionOfItem(fields: Fields, position: FieldPosition): FieldPosition {
  if (position.level !== 'list') return position
  return { ...position, level: 'nested', isByUser: isWrittenByUser(fields, position.isByUser) }
}
