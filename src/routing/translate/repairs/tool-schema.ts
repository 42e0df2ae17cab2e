import { fitSchema, mergedAllOf, type ReportKeyword } from './fit-schema.ts'
import { described, isSchema, type Schema, type SchemaRules } from './schema-keywords.ts'
import { resolveRef } from './schema-refs.ts'

/**
 * The schema of a tool's arguments as providers accept it: an object with properties, without a union at its root.
 * Undefined for one whose arguments cannot be an object.
 */
export function fitToolSchema(given: unknown, rules: SchemaRules, report: ReportKeyword): Schema | undefined {
  const root = atRoot(given)
  const union = withoutRootUnion(root, root, report)
  const { type } = union
  if (type !== undefined && type !== 'object' && !(Array.isArray(type) && type.includes('object'))) return undefined
  const fitted = fitSchema(union, rules, report)
  if (fitted.type === 'object' && isSchema(fitted.properties)) return fitted
  return { ...fitted, type: 'object', properties: isSchema(fitted.properties) ? fitted.properties : {} }
}

/** The schema, or the one that its root refers to; definitions stay beside it. */
function atRoot(given: unknown): Schema {
  if (!isSchema(given)) return {}
  if (typeof given.$ref !== 'string') return given
  const { $ref, ...beside } = given
  return { ...resolveRef(given, given.$ref), ...beside }
}

const refusedAtRoot = ['enum', 'const', 'not', 'if', 'then', 'else'] as const

function withoutRootUnion(schema: Schema, document: Schema, report: ReportKeyword): Schema {
  let current = schema
  if (Array.isArray(current.allOf)) current = mergedAllOf({ ...current, allOf: variantsOf(current.allOf, document) })
  for (const keyword of ['anyOf', 'oneOf'] as const)
    if (Array.isArray(current[keyword])) current = mergedUnion(current, keyword, document, report)
  const moved: Schema = {}
  for (const keyword of refusedAtRoot) {
    if (!(keyword in current)) continue
    const { [keyword]: value, ...rest } = current
    current = rest
    moved[keyword] = value
    report(keyword)
  }
  return described(current, moved)
}

function variantsOf(list: unknown[], document: Schema): Schema[] {
  return list
    .filter(isSchema)
    .map((one) => (typeof one.$ref === 'string' ? { ...resolveRef(document, one.$ref), ...one, $ref: undefined } : one))
}

/** One object with the properties of all variants; only what every variant requires is required. */
function mergedUnion(schema: Schema, keyword: 'anyOf' | 'oneOf', document: Schema, report: ReportKeyword): Schema {
  const { [keyword]: list, ...rest } = schema
  const variants = variantsOf(list as unknown[], document)
    .map((one) => (Array.isArray(one.allOf) ? mergedAllOf({ ...one, allOf: variantsOf(one.allOf, document) }) : one))
    .filter((one) => one.type === undefined || one.type === 'object')
  const isOnlyOtherType = variants.length === 0 && rest.type === undefined
  if (isOnlyOtherType) return { ...rest, type: 'string' }
  report(keyword)
  const properties: Schema = { ...(isSchema(rest.properties) && rest.properties) }
  for (const variant of variants) addProperties(properties, isSchema(variant.properties) ? variant.properties : {})
  const inAll = variants
    .map(({ required }) => (Array.isArray(required) ? required : []))
    .reduce(
      (a, b) => a.filter((name) => b.includes(name)),
      variants[0] && Array.isArray(variants[0].required) ? variants[0].required : [],
    )
  const required = [...new Set([...(Array.isArray(rest.required) ? rest.required : []), ...inAll])]
  const merged = { ...rest, type: 'object', properties, ...(required.length > 0 && { required }) }
  return described(merged, { [keyword]: variants.map(summaryOf) })
}

/** Which properties a variant has and requires, for the description. */
function summaryOf({ title, properties, required }: Schema): Schema {
  return {
    ...(title !== undefined && { title }),
    ...(isSchema(properties) && { properties: Object.keys(properties) }),
    ...(Array.isArray(required) && { required }),
  }
}

/** A property that differs between variants may be either. */
function addProperties(properties: Schema, more: Schema): void {
  for (const [name, schema] of Object.entries(more)) {
    const before = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (before === undefined) properties[name] = schema
    else if (JSON.stringify(before) !== JSON.stringify(schema)) properties[name] = eitherOf(before, schema)
  }
}

function eitherOf(one: unknown, other: unknown): Schema {
  const literals = [one, other].map((schema) => literalsOf(schema))
  if (literals[0] && literals[1]) return { enum: [...new Set([...literals[0], ...literals[1]])] }
  const alternatives = isSchema(one) && Array.isArray(one.anyOf) ? one.anyOf : [one]
  return { anyOf: [...alternatives, other] }
}

function literalsOf(schema: unknown): unknown[] | undefined {
  if (!isSchema(schema)) return undefined
  if ('const' in schema) return [schema.const]
  return Array.isArray(schema.enum) ? schema.enum : undefined
}
