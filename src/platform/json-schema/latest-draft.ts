import { isSchema, type Schema } from './schema-keywords.ts'
import { normalizeType } from './schema-types.ts'

/** Keywords that `toLatestDraft` can change. */
const outdatedKeywords: ReadonlySet<string> = new Set([
  'items',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'required',
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'anyOf',
  'oneOf',
  'allOf',
  'enum',
])

/** Keywords whose value can be null. Serializers of some languages write other unset keywords as null, too. */
const nullableKeywords: ReadonlySet<string> = new Set(['default', 'const', 'example'])

function canBeOutdated(schema: Schema): boolean {
  for (const keyword in schema) {
    if (outdatedKeywords.has(keyword)) return true
    if (schema[keyword] === null && !nullableKeywords.has(keyword)) return true
  }
  return normalizeType(schema.type) !== schema.type
}

/** Converts keywords and types of older drafts and other languages to those of the latest draft of JSON Schema. */
export function toLatestDraft(schema: Schema): Schema {
  if (!canBeOutdated(schema)) return schema
  const changes: Schema = {}
  for (const keyword in schema)
    if (schema[keyword] === null && !nullableKeywords.has(keyword)) changes[keyword] = undefined
  if (Array.isArray(schema.items)) {
    changes.prefixItems = schema.items
    changes.items = undefined
  }
  for (const [exclusive, inclusive] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    if (typeof schema[exclusive] !== 'boolean') continue
    const isExclusive = schema[exclusive] && schema[inclusive] !== undefined
    changes[exclusive] = isExclusive ? schema[inclusive] : undefined
    if (isExclusive) changes[inclusive] = undefined
  }
  if ('required' in schema && !isListOfNames(schema.required)) changes.required = toNames(schema.required)
  const type = normalizeType(schema.type)
  if (type !== schema.type) changes.type = type
  for (const name of ['properties', 'patternProperties', '$defs', 'definitions'])
    if (name in schema && !isSchema(schema[name])) changes[name] = undefined
  for (const name of ['anyOf', 'oneOf', 'allOf', 'enum'])
    if (Array.isArray(schema[name]) ? (schema[name] as unknown[]).length === 0 : name in schema)
      changes[name] = undefined
  return Object.keys(changes).length === 0 ? schema : withoutUndefined({ ...schema, ...changes })
}

const isListOfNames = (value: unknown) =>
  Array.isArray(value) && value.every((name) => typeof name === 'string') && new Set(value).size === value.length

/** The distinct texts of a list. */
export function toNames(value: unknown): string[] | undefined {
  return Array.isArray(value) ? [...new Set(value.filter((name) => typeof name === 'string'))] : undefined
}

export const withoutUndefined = (schema: Schema): Schema =>
  Object.fromEntries(Object.entries(schema).filter(([, value]) => value !== undefined))

/** Replaces `nullable` of OpenAPI by the type null. Returns a schema without a type or a union unchanged. */
export function withNullType(schema: Schema): Schema {
  const { nullable: _nullable, ...rest } = schema
  const { type, enum: values, anyOf } = rest
  const types = (Array.isArray(type) ? type : [type]).filter((one) => one !== undefined && one !== 'null')
  if (types.length > 0)
    return {
      ...rest,
      type: [...types, 'null'],
      ...(Array.isArray(values) && { enum: [...new Set([...values, null])] }),
    }
  return Array.isArray(anyOf) ? { ...rest, anyOf: [...anyOf, { type: 'null' }] } : schema
}
