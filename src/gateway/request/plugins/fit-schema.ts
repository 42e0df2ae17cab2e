import { isObject } from '#platform/core/is-object.ts'
import { parseJsonOr } from '#platform/core/parse-json.ts'

type Schema = { [keyword: string]: unknown }

/** After this many comparisons, the values that follow stay as they are, because schemas and responses can both be long. */
const maxSteps = 400_000

/** Schemas are followed to this depth; a schema that refers to itself has no end. */
const maxDepth = 64

/**
 * Fits a value to its JSON Schema where the model's intention is clear. Converts strings to numbers. Wraps a single value where a list is
 * expected, and unwraps a list of one object where an object is expected. Removes properties that are not allowed, and adds
 * defaults. Everything else stays.
 */
export function fitToSchema(value: unknown, schema: unknown): unknown {
  return fitValue(value, schema, { root: schema, depth: 0, progress: { steps: maxSteps, resolvedSchemas: new Map() } })
}

/** The position in the schema, and the shared progress of the whole value. */
type FitContext = {
  root: unknown
  depth: number
  /** The remaining steps, and the schemas that references lead to. */
  progress: { steps: number; resolvedSchemas: Map<object, Schema | undefined> }
}

function fitValue(value: unknown, schemaOrReference: unknown, context: FitContext): unknown {
  const schema = resolveSchema(schemaOrReference, context)
  if (!schema || context.depth > maxDepth) return value
  context.progress.steps -= countSteps(value, schema)
  if (context.progress.steps < 0) return value
  const nestedContext = { ...context, depth: context.depth + 1 }
  const cases = (schema.anyOf ?? schema.oneOf) as unknown[] | undefined
  if (Array.isArray(cases)) return fitToCase(value, cases, nestedContext)
  const converted = convertToTypes(value, readTypes(schema))
  if (Array.isArray(converted))
    return schema.items ? converted.map((item) => fitValue(item, schema.items, nestedContext)) : converted
  if (isObject(converted)) return fitProperties(converted, schema, nestedContext)
  return fitEnum(converted, schema.enum)
}

/**
 * The number of comparisons of a value with a schema. Each case and type is compared twice: before and after a conversion. A
 * conversion can parse a text: 64 characters count as one comparison.
 */
function countSteps(value: unknown, { anyOf, oneOf, type, enum: values, required }: Schema): number {
  const lengthOf = (list: unknown) => (Array.isArray(list) ? list.length : 0)
  const cost = typeof value === 'string' ? 1 + value.length / 64 : 1
  return 1 + 2 * cost * (lengthOf(anyOf) + lengthOf(oneOf) + lengthOf(type)) + lengthOf(values) + lengthOf(required)
}

/** Fits to the first schema whose type the value has, or else the first to whose type it converts. */
function fitToCase(value: unknown, cases: unknown[], context: FitContext): unknown {
  const schemas = cases.map((schema) => resolveSchema(schema, context) ?? {})
  const fittingSchema =
    schemas.find((schema) => matchesType(value, readTypes(schema))) ??
    schemas.find((schema) => matchesType(convertToTypes(value, readTypes(schema)), readTypes(schema)))
  return fittingSchema ? fitValue(value, fittingSchema, context) : value
}

function resolveSchema(schema: unknown, { root, progress }: FitContext): Schema | undefined {
  if (!isObject(schema)) return undefined
  if (typeof schema.$ref !== 'string') return schema
  return progress.resolvedSchemas.getOrInsertComputed(schema, () => followReference(root, schema as { $ref: string }))
}

function followReference(root: unknown, schema: { $ref: string }): Schema | undefined {
  let schemaAtPath: unknown = schema.$ref.startsWith('#') ? root : undefined
  for (const name of schema.$ref.split('/').slice(1))
    schemaAtPath = isObject(schemaAtPath) && Object.hasOwn(schemaAtPath, name) ? schemaAtPath[name] : undefined
  return isObject(schemaAtPath) ? schemaAtPath : undefined
}

function readTypes({ type, properties, items }: Schema): string[] {
  if (Array.isArray(type)) return type as string[]
  if (typeof type === 'string') return [type]
  if (properties) return ['object']
  return items ? ['array'] : []
}

function matchesType(value: unknown, types: string[]): boolean {
  return types.length === 0 || types.some((type) => isType(value, type))
}

function isType(value: unknown, type: string): boolean {
  switch (type) {
    case 'null':
      return value === null
    case 'array':
      return Array.isArray(value)
    case 'object':
      return isObject(value)
    case 'integer':
      return Number.isInteger(value)
    default:
      return typeof value === type
  }
}

/** Converts a value to the first of the types that can express it. Returns it unchanged if none can. */
function convertToTypes(value: unknown, types: string[]): unknown {
  if (matchesType(value, types)) return value
  for (const type of types) {
    const converted = convertTo(value, type)
    if (converted !== undefined) return converted
  }
  return value
}

/** @returns undefined if the value cannot be converted. */
function convertTo(value: unknown, type: string): unknown {
  const text = typeof value === 'string' ? value.trim() : undefined
  if (type === 'string') return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined
  if (type === 'null') return text === '' || text === 'null' ? null : undefined
  if (type === 'boolean') return text && /^(true|false)$/i.test(text) ? text.toLowerCase() === 'true' : undefined
  if (type === 'array') {
    if (Array.isArray(parseStructure(text))) return parseStructure(text)
    return value === null ? undefined : [value]
  }
  if (type === 'object') {
    if (Array.isArray(value) && value.length === 1 && isObject(value[0])) return value[0]
    return isObject(parseStructure(text)) ? parseStructure(text) : undefined
  }
  const number = text && /^-?\d+(\.\d+)?(e[-+]?\d+)?$/i.test(text) ? Number(text) : undefined
  return type === 'integer' && !Number.isInteger(number) ? undefined : number
}

/** Parses an object or array in a string. */
function parseStructure(text: string | undefined): unknown {
  return text && /^[{[]/.test(text) ? parseJsonOr(text, undefined) : undefined
}

function fitProperties(value: Record<string, unknown>, schema: Schema, context: FitContext): object {
  const properties = isObject(schema.properties) ? schema.properties : {}
  const required = Array.isArray(schema.required) ? (schema.required as string[]) : []
  const fittedEntries: [string, unknown][] = []
  for (const [name, property] of Object.entries(value)) {
    if (Object.hasOwn(properties, name)) fittedEntries.push([name, fitValue(property, properties[name], context)])
    else if (isObject(schema.additionalProperties))
      fittedEntries.push([name, fitValue(property, schema.additionalProperties, context)])
    else if (schema.additionalProperties !== false) fittedEntries.push([name, property])
  }
  for (const name of required) {
    if (Object.hasOwn(value, name)) continue
    const missing = resolveSchema(properties[name], context)
    if (missing && 'default' in missing) fittedEntries.push([name, missing.default])
    else if (missing && readTypes(missing).includes('null')) fittedEntries.push([name, null])
  }
  return Object.fromEntries(fittedEntries)
}

/** Replaces a string by the enum value that differs only in case or surrounding spaces. */
function fitEnum(value: unknown, values: unknown): unknown {
  if (typeof value !== 'string' || !Array.isArray(values) || values.includes(value)) return value
  const equalValues = values.filter(
    (allowed) => typeof allowed === 'string' && allowed.toLowerCase() === value.trim().toLowerCase(),
  )
  return equalValues.length === 1 ? equalValues[0] : value
}
