import { fitSchema } from '#platform/json-schema/fit-schema.ts'
import { isSchema, type Schema, schemaKeywords } from '#platform/json-schema/schema-keywords.ts'

/** Keywords that OpenAI refuses in strict schemas. */
const refusedKeywords = [
  'allOf',
  'oneOf',
  'not',
  'if',
  'dependentRequired',
  'dependentSchemas',
  'patternProperties',
] as const

/**
 * Closes every object of a schema (`additionalProperties: false`), so that OpenAI accepts it as strict. Undefined if it has
 * optional properties or refused keywords.
 */
export function toStrictSchema(schema: unknown): Schema | undefined {
  const closedSchema = fitSchema(schema, { closesObjects: true }, () => {})
  return isStrict(closedSchema) ? closedSchema : undefined
}

function isStrict(schema: unknown): boolean {
  if (!isSchema(schema)) return true
  if (refusedKeywords.some((keyword) => keyword in schema)) return false
  const { properties, required, additionalProperties } = schema
  if (isSchema(properties)) {
    // An object without properties needs neither of them.
    if (additionalProperties !== false || !Array.isArray(required)) return Object.keys(properties).length === 0
    const names = new Set(required)
    if (!Object.keys(properties).every((name) => names.has(name))) return false
  }
  return Object.entries(schema).every(([keyword, value]) => {
    if (schemaKeywords.list.has(keyword) && Array.isArray(value)) return value.every(isStrict)
    if (schemaKeywords.map.has(keyword) && isSchema(value)) return Object.values(value).every(isStrict)
    return !schemaKeywords.single.has(keyword) || isStrict(value)
  })
}
