import { isObject } from '../core/is-object.ts'

/** A JSON schema that is an object, not a boolean. */
export type Schema = Record<string, unknown>

/** The subset of JSON Schema that the servers of a protocol accept. */
export type SchemaRules = {
  /** Supported keywords. Others move into the description. Undefined: all are supported. */
  keywords?: ReadonlySet<string>
  /** Unsupported keywords, if all others are supported. */
  unsupported?: ReadonlySet<string>
  /** Supported formats of strings. */
  formats?: ReadonlySet<string>
  /** Keywords of bounds that are supported only with some values. */
  accepts?: (keyword: string, value: unknown) => boolean
  /** Whether each object must have `additionalProperties: false`. */
  closesObjects?: boolean
  /** Whether each required name must be that of a property. */
  declaresRequired?: boolean
  /** Whether a reference cannot have other keywords beside it. */
  isolatesRefs?: boolean
}

/** Keywords without an effect on validation. They are removed without a report. */
export const ignorableKeywords: ReadonlySet<string> = new Set([
  '$schema',
  '$id',
  'id',
  '$comment',
  '$anchor',
  '$vocabulary',
])

/** Keywords whose value is a schema, a list of schemas, or an object of schemas. */
export const schemaKeywords = {
  single: new Set([
    'items',
    'additionalProperties',
    'additionalItems',
    'contains',
    'propertyNames',
    'not',
    'if',
    'then',
    'else',
    'unevaluatedProperties',
    'unevaluatedItems',
    'contentSchema',
  ]),
  list: new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems']),
  map: new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']),
} as const

export const isSchema: (value: unknown) => value is Schema = isObject

function isEmpty(schema: Schema): boolean {
  for (const _keyword in schema) return false
  return true
}

/** Returns the schema with these keywords moved into its description. */
export function moveIntoDescription(schema: Schema, moved: Schema): Schema {
  if (isEmpty(moved)) return schema
  const parts = Object.entries(moved).map(([keyword, value]) => `${keyword}: ${JSON.stringify(value)}`)
  const existingDescription =
    typeof schema.description === 'string' && schema.description ? `${schema.description}\n\n` : ''
  return { ...schema, description: `${existingDescription}{${parts.join(', ')}}` }
}
