/**
 * The keywords of JSON Schema, of all its drafts and of OpenAPI. Any other name in a schema is chosen by its author.
 */
const words = new Set(
  `$anchor $comment $defs $dynamicAnchor $dynamicRef $id $ref $schema $vocabulary additionalItems additionalProperties
  allOf anyOf const contains contentEncoding contentMediaType contentSchema default definitions dependencies
  dependentRequired dependentSchemas deprecated description discriminator else enum example examples exclusiveMaximum
  exclusiveMinimum format if items maxContains maxItems maxLength maxProperties maximum minContains minItems minLength
  minProperties minimum multipleOf not nullable oneOf pattern patternProperties prefixItems properties propertyNames
  propertyOrdering readOnly required strict then title type unevaluatedItems unevaluatedProperties uniqueItems
  writeOnly`.split(/\s+/),
)

/** Fields of a request whose object is a JSON Schema. */
const holders = new Set(
  'parameters schema input_schema output_schema inputSchema outputSchema parametersJsonSchema'.split(' '),
)
/** Keywords whose value maps arbitrary names to schemas. */
const named = new Set(
  '$defs definitions dependencies dependentRequired dependentSchemas patternProperties properties'.split(' '),
)
/** Keywords whose value contains data, not a schema. */
const valued = new Set('const default enum example examples'.split(' '))

/** A position in a schema: a schema itself, or a map from names to schemas. */
export type SchemaPlace = 'schema' | 'names'

/** The position of a field's value; undefined outside of schemas, and for data in them. */
export function schemaPlaceOf(key: string, isObject: boolean, place: SchemaPlace | undefined): SchemaPlace | undefined {
  if (place === undefined) return isObject && holders.has(key) ? 'schema' : undefined
  if (place === 'names') return 'schema'
  if (valued.has(key)) return undefined
  return isObject && named.has(key) ? 'names' : 'schema'
}

export function holdsValues(key: string, place: SchemaPlace | undefined): boolean {
  return place === 'schema' && valued.has(key)
}

/** Whether a field's name is a keyword of JSON Schema. */
export function isSchemaWord(key: string, place: SchemaPlace): boolean {
  return place === 'schema' && words.has(key)
}

/** Values that JSON Schema defines, by field. */
const ownValues = new Map<string, RegExp>([
  ['$schema', /^https?:\/\/json-schema\.org\/(?:draft[-/][\d-]{1,8}\/)?schema#?$/],
  ['type', /^(?:string|number|integer|boolean|object|array|null)$/i],
  [
    'format',
    /^(?:date|time|date-time|duration|(?:idn-)?(?:email|hostname)|ipv[46]|[iu]ri(?:-reference|-template)?|uuid|regex|(?:relative-)?json-pointer|u?int(?:8|16|32|64)|float|double|byte|binary|password|enum)$/,
  ],
])

export function isSchemaValue(key: string, value: string): boolean {
  return ownValues.get(key)?.test(value) ?? false
}

const pointers = new Set(['$ref', '$dynamicRef'])

/** Whether a value is a reference to another part of the schema. */
export function isPointer(key: string, value: string): boolean {
  return pointers.has(key) && value.startsWith('#/')
}

/** A JSON pointer into the schema, with the names of the schema's author. */
export function rewritePointer(pointer: string, rewriteName: (name: string) => string): string {
  let place: SchemaPlace = 'schema'
  const [root, ...steps] = pointer.split('/')
  const rewritten = steps.map((step) => {
    const name = isSchemaWord(step, place) || step === '' ? step : rewriteName(step)
    place = schemaPlaceOf(step, true, place) ?? 'schema'
    return name
  })
  return [root, ...rewritten].join('/')
}
