import { decodeUrl } from '#platform/json-schema/schema-refs.ts'

/**
 * The keywords of JSON Schema, of all its drafts and of OpenAPI. Any other name in a schema is chosen by its author.
 */
const keywords = new Set(
  `$anchor $comment $defs $dynamicAnchor $dynamicRef $id $ref $schema $vocabulary additionalItems additionalProperties
  allOf anyOf const contains contentEncoding contentMediaType contentSchema default definitions dependencies
  dependentRequired dependentSchemas deprecated description discriminator else enum example examples exclusiveMaximum
  exclusiveMinimum format if items maxContains maxItems maxLength maxProperties maximum minContains minItems minLength
  minProperties minimum multipleOf not nullable oneOf pattern patternProperties prefixItems properties propertyNames
  propertyOrdering readOnly required strict then title type unevaluatedItems unevaluatedProperties uniqueItems
  writeOnly`.split(/\s+/),
)

/** Fields of a request whose object is a JSON Schema. */
const schemaFields = new Set(
  'parameters schema input_schema output_schema inputSchema outputSchema parametersJsonSchema'.split(' '),
)
/** Keywords whose value maps arbitrary names to schemas. */
const mapKeywords = new Set(
  '$defs definitions dependencies dependentRequired dependentSchemas patternProperties properties'.split(' '),
)
/** Keywords whose value contains data, not a schema. */
const dataKeywords = new Set('const default enum example examples'.split(' '))

/** A position in a schema: a schema itself, or a map from names to schemas. */
export type SchemaPosition = 'schema' | 'names'

/** The position of a field's value; undefined outside of schemas, and for data in them. */
export function schemaPositionOf(
  key: string,
  isObject: boolean,
  position: SchemaPosition | undefined,
): SchemaPosition | undefined {
  if (position === undefined) return isObject && schemaFields.has(key) ? 'schema' : undefined
  if (position === 'names') return 'schema'
  if (dataKeywords.has(key)) return undefined
  return isObject && mapKeywords.has(key) ? 'names' : 'schema'
}

export function containsData(key: string, position: SchemaPosition | undefined): boolean {
  return position === 'schema' && dataKeywords.has(key)
}

/** Whether a field's name is a keyword of JSON Schema. */
export function isSchemaKeyword(key: string, position: SchemaPosition): boolean {
  return position === 'schema' && keywords.has(key)
}

/** Values that JSON Schema defines, by field. */
const definedValues = new Map<string, RegExp>([
  ['$schema', /^https?:\/\/json-schema\.org\/(?:draft[-/][\d-]{1,8}\/)?schema#?$/],
  ['type', /^(?:string|number|integer|boolean|object|array|null)$/i],
  [
    'format',
    /^(?:date|time|date-time|duration|(?:idn-)?(?:email|hostname)|ipv[46]|[iu]ri(?:-reference|-template)?|uuid|regex|(?:relative-)?json-pointer|u?int(?:8|16|32|64)|float|double|byte|binary|password|enum)$/,
  ],
])

export function isSchemaValue(key: string, value: string): boolean {
  return definedValues.get(key)?.test(value) ?? false
}

const pointers = new Set(['$ref', '$dynamicRef'])

/** Whether a value is a reference to another part of the schema. */
export function isPointer(key: string, value: string): boolean {
  return pointers.has(key) && value.startsWith('#/')
}

/**
 * Rewrites the names in a JSON pointer that the schema's author chose; keywords stay. In a pointer, `~1` is a slash and `~0` a tilde,
 * and any character can be percent-encoded.
 */
export function rewritePointer(pointer: string, rewriteName: (name: string) => string): string {
  let position: SchemaPosition = 'schema'
  const [root, ...steps] = pointer.split('/')
  const rewritten = steps.map((step) => {
    const decoded = decodeUrl(step)
    const name = decoded.replaceAll('~1', '/').replaceAll('~0', '~')
    const newName = isSchemaKeyword(name, position) || name === '' ? name : rewriteName(name)
    // The value is an object, because the pointer continues below it.
    const isObject = true
    position = schemaPositionOf(name, isObject, position) ?? 'schema'
    if (newName === name) return step
    const escaped = newName.replaceAll('~', '~0').replaceAll('/', '~1')
    return decoded === step ? escaped : encodeURIComponent(escaped)
  })
  return [root, ...rewritten].join('/')
}
