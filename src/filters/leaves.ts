import { isJsonText, rewriteJsonText } from './json-text.ts'

/** A text of a request: the name of its field where that says what it is, and whether the user wrote it. */
export type Leaf = { text: string; context: string; user: boolean }

/** Returns what takes the place of a leaf's text. */
export type Rewrite = (leaf: Leaf) => string

/** Fields for this service, which no provider sees. */
const ours = new Set(
  'model models preset provider plugins route fallbacks trace debug session_id stream stream_options'.split(' '),
)

/** Fields whose text is a reference, a kind, a form or bytes: to change it would break the request. */
const references = new Set(
  'type role id name url image_url file_url video_url data file_data b64_json filename detail format media_type mime_type status signature encrypted_content effort $ref $id $schema'.split(
    ' ',
  ),
)
const reference = (key: string) => references.has(key) || key.endsWith('_id')

/** Fields that hold what somebody made up, under names of their own. */
const free = new Set(['metadata', 'variables', 'arguments'])

type Place = { key: string; user: boolean; isFree: boolean; isResult: boolean }

/**
 * Rewrites every text of a request that goes to a provider, whatever the style of the body (chat, responses, messages):
 * all but references and this service's own fields. Arguments and results of tools that are JSON are rewritten value by
 * value and stay JSON. What did not change is the same object as before.
 */
export function rewriteBody<Body extends object>(body: Body, rewrite: Rewrite): Body {
  return rewriteFields(body as Fields, { key: '', user: false, isFree: false, isResult: false }, rewrite, (key) =>
    ours.has(key),
  ) as Body
}

type Fields = Record<string, unknown>

function rewriteValue(value: unknown, place: Place, rewrite: Rewrite): unknown {
  if (typeof value === 'string') return rewriteText(value, place, rewrite)
  if (typeof value === 'number') return place.isFree ? rewriteNumber(value, place, rewrite) : value
  if (Array.isArray(value)) return rewriteItems(value, place, rewrite)
  if (value === null || typeof value !== 'object') return value
  return rewriteFields(value as Fields, placeWithin(value as Fields, place), rewrite)
}

function rewriteText(text: string, { key, user, isFree, isResult }: Place, rewrite: Rewrite): string {
  if (text === '') return text
  if ((key === 'arguments' || isResult) && isJsonText(text)) {
    return rewriteJsonText(text, (value, context) => rewrite({ text: value, context, user }))
  }
  return rewrite({ text, context: isFree ? key : '', user })
}

function rewriteNumber(value: number, { key, user }: Place, rewrite: Rewrite): number | string {
  const text = String(value)
  const rewritten = rewrite({ text, context: key, user })
  return rewritten === text ? value : rewritten
}

function rewriteItems(items: unknown[], place: Place, rewrite: Rewrite): unknown[] {
  const rewritten = items.map((item) => rewriteValue(item, place, rewrite))
  return rewritten.some((item, i) => item !== items[i]) ? rewritten : items
}

function rewriteFields(fields: Fields, place: Place, rewrite: Rewrite, skip = (_key: string) => false): Fields {
  let changed = false
  const names = new Set<string>()
  const rewritten = Object.entries(fields).map(([key, value]): [string, unknown] => {
    const name = place.isFree && key ? unused(names, rewrite({ text: key, context: '', user: place.user })) : key
    const stays = skip(key) || (!place.isFree && isReference(fields, key, value))
    const next = stays ? value : rewriteValue(value, placeOf(key, value, fields, place), rewrite)
    names.add(name)
    changed ||= next !== value || name !== key
    return [name, next]
  })
  return changed ? Object.fromEntries(rewritten) : fields
}

function isReference(fields: Fields, key: string, value: unknown): boolean {
  // A document in plain text carries it where others carry bytes.
  if (key === 'data' && fields.type === 'text') return false
  return typeof value === 'string' && reference(key)
}

function unused(names: Set<string>, name: string): string {
  let free = name
  for (let i = 2; names.has(free); i++) free = `${name} ${i}`
  return free
}

function placeOf(key: string, value: unknown, fields: Fields, place: Place): Place {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  // What a message's tool was called with; a whole request has its input there, as a text or an array.
  const isFree = place.isFree || free.has(key) || (key === 'input' && isObject)
  const user = place.user || (place.key === '' && (key === 'input' || key === 'prompt'))
  return {
    key,
    user,
    isFree: isFree && !(key === 'arguments' && typeof value === 'string'),
    isResult: place.isResult || isResult(key, fields),
  }
}

function isResult(key: string, { role, type }: Fields): boolean {
  if (key === 'output') return true
  return key === 'content' && (role === 'tool' || type === 'tool_result')
}

const byOthers = /_(?:output|call|result|use)$|^reasoning$|^thinking$/

/** Who wrote what a message, an item or a part holds. */
function placeWithin({ role, type }: Fields, place: Place): Place {
  if (place.isFree) return place
  if (typeof role === 'string') return { ...place, user: role === 'user' }
  return typeof type === 'string' && byOthers.test(type) ? { ...place, user: false } : place
}
