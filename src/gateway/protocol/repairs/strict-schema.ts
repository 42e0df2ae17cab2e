import { fitSchema, isDictionary, type ReportKeyword } from '#platform/json-schema/fit-schema.ts'
import { isSchema, type Schema, type SchemaRules, schemaKeywords } from '#platform/json-schema/schema-keywords.ts'

/** Keywords that OpenAI refuses in strict schemas. */
const refusedKeywords = ['not', 'if', 'dependentRequired', 'dependentSchemas', 'patternProperties'] as const

/** What OpenAI accepts in strict schemas, except the keywords above. `oneOf` becomes `anyOf`, `allOf` one schema. */
const strictRules: SchemaRules = {
  closesObjects: true,
  isolatesRefs: true,
  unsupported: new Set([
    ...['oneOf', 'allOf', 'propertyNames', 'default', 'minLength', 'maxLength', 'minProperties', 'maxProperties'],
    ...[
      'nullable',
      'uniqueItems',
      'contains',
      'minContains',
      'maxContains',
      'unevaluatedItems',
      'unevaluatedProperties',
    ],
  ]),
  formats: new Set(['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid']),
}

/**
 * Closes every object of a schema (`additionalProperties: false`), so that OpenAI accepts it as strict. Undefined if it has
 * optional properties, properties of any name, or refused keywords.
 */
export function toStrictSchema(schema: unknown, report: ReportKeyword): Schema | undefined {
  const removedKeywords: string[] = []
  const closedSchema = fitSchema(schema, strictRules, (keyword) => removedKeywords.push(keyword))
  if (removedKeywords.includes('additionalProperties') || !isStrict(closedSchema)) return undefined
  for (const keyword of removedKeywords) report(keyword)
  return closedSchema
}

/** Whether closing the objects of a schema would remove properties of any name. */
export const hasDictionary = (schema: unknown): boolean => !everySchema(schema, (nested) => !isDictionary(nested))

const isStrict = (schema: unknown): boolean => everySchema(schema, isStrictNode)

function isStrictNode(schema: Schema): boolean {
  if (refusedKeywords.some((keyword) => keyword in schema)) return false
  const { properties, required, additionalProperties } = schema
  if (!isSchema(properties)) return true
  // An object without properties needs neither `additionalProperties: false` nor `required`.
  if (additionalProperties !== false || !Array.isArray(required)) return Object.keys(properties).length === 0
  const names = new Set(required)
  return Object.keys(properties).every((name) => names.has(name))
}

/** Whether a schema and all schemas in it pass a check. Booleans pass. */
function everySchema(schema: unknown, check: (schema: Schema) => boolean): boolean {
  if (!isSchema(schema)) return true
  const checkNested = (nested: unknown) => everySchema(nested, check)
  if (!check(schema)) return false
  return Object.entries(schema).every(([keyword, value]) => {
    if (schemaKeywords.list.has(keyword) && Array.isArray(value)) return value.every(checkNested)
    if (schemaKeywords.map.has(keyword) && isSchema(value)) return Object.values(value).every(checkNested)
    return !schemaKeywords.single.has(keyword) || checkNested(value)
  })
}
