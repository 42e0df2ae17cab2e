import { fitSchema, mergeAllOf, type ReportKeyword } from './fit-schema.ts'
import { isSchema, moveIntoDescription, type Schema, type SchemaRules } from './schema-keywords.ts'
import { resolveRef, resolveRoot } from './schema-refs.ts'
import { hasType, normalizeType } from './schema-types.ts'

/**
 * Converts the schema of a tool's arguments to a form that providers accept: an object with properties, without a union
 * at its root. Undefined if the arguments cannot be an object.
 */
export function fitToolSchema(schema: unknown, rules: SchemaRules, report: ReportKeyword): Schema | undefined {
  const root = withoutRootUnion(isSchema(schema) ? resolveRoot(schema) : {}, report)
  if (!canBeObject(root)) return undefined
  const fitted = fitSchema(root, rules, report)
  if (fitted.type === 'object' && isSchema(fitted.properties)) return fitted
  return { ...fitted, type: 'object', properties: isSchema(fitted.properties) ? fitted.properties : {} }
}

function canBeObject(schema: Schema): boolean {
  const type = normalizeType(schema.type)
  return type === undefined || hasType(type, 'object')
}

/** Other keywords that restrict the root. OpenAI refuses `enum` and `not` there, as it refuses unions. */
const forbiddenAtRoot = ['enum', 'const', 'not', 'if', 'then', 'else'] as const

function withoutRootUnion(document: Schema, report: ReportKeyword): Schema {
  let current = document
  if (Array.isArray(current.allOf))
    current = mergeAllOf({ ...current, allOf: resolveVariants(current.allOf, document) })
  for (const keyword of ['anyOf', 'oneOf'] as const)
    if (Array.isArray(current[keyword])) current = mergeUnion(current, keyword, document, report)
  const moved: Schema = {}
  for (const keyword of forbiddenAtRoot) {
    if (!(keyword in current)) continue
    const { [keyword]: value, ...rest } = current
    current = rest
    moved[keyword] = value
    report(keyword)
  }
  return moveIntoDescription(current, moved)
}

/** The schemas of a list with references resolved, each reference once. */
function resolveVariants(list: unknown[], document: Schema): Schema[] {
  const refs = new Set<string>()
  return list.filter(isSchema).flatMap((variant) => {
    if (typeof variant.$ref !== 'string') return [variant]
    if (refs.has(variant.$ref)) return []
    refs.add(variant.$ref)
    const { $ref, ...siblings } = variant
    return [{ ...resolveRef(document, String($ref)), ...siblings }]
  })
}

/**
 * Merges variants into one object with the properties of all. A property is required only if every variant requires it.
 * Returns the schema of a string if no variant can be an object, because `fitToolSchema` refuses it.
 */
function mergeUnion(schema: Schema, keyword: 'anyOf' | 'oneOf', document: Schema, report: ReportKeyword): Schema {
  const { [keyword]: list, ...rest } = schema
  const variants = resolveVariants(list as unknown[], document)
    .map((variant) =>
      Array.isArray(variant.allOf)
        ? mergeAllOf({ ...variant, allOf: resolveVariants(variant.allOf, document) })
        : variant,
    )
    .filter(canBeObject)
  if (variants.length === 0 && rest.type === undefined) return { ...rest, type: 'string' }
  report(keyword)
  const properties = mergeProperties([rest, ...variants])
  const required = [...new Set([...listRequired(rest), ...requiredByAll(variants)])]
  const merged: Schema = { ...rest, type: 'object', properties }
  if (required.length > 0) merged.required = required
  return moveIntoDescription(merged, { [keyword]: variants.map(summarizeVariant) })
}

const listRequired = ({ required }: Schema): unknown[] => (Array.isArray(required) ? required : [])

function requiredByAll(variants: Schema[]): unknown[] {
  const counts = new Map<unknown, number>()
  for (const variant of variants)
    for (const name of new Set(listRequired(variant))) counts.set(name, (counts.get(name) ?? 0) + 1)
  return [...counts].flatMap(([name, count]) => (count === variants.length ? [name] : []))
}

/** Describes which properties a variant has and requires. */
function summarizeVariant({ title, properties, required }: Schema): Schema {
  const summary: Schema = {}
  if (title !== undefined) summary.title = title
  if (isSchema(properties)) summary.properties = Object.keys(properties)
  if (Array.isArray(required)) summary.required = required
  return summary
}

/** The properties of all schemas. A property that differs between them accepts any of its variants. */
function mergeProperties(schemas: Schema[]): Schema {
  const alternatives = new Map<string, Map<string, unknown>>()
  for (const { properties } of schemas)
    for (const [name, schema] of Object.entries(isSchema(properties) ? properties : {})) {
      const variants = alternatives.get(name) ?? new Map<string, unknown>()
      alternatives.set(name, variants.set(JSON.stringify(schema), schema))
    }
  return Object.fromEntries(
    [...alternatives].map(([name, variants]) => [name, mergeAlternatives([...variants.values()])]),
  )
}

function mergeAlternatives(schemas: unknown[]): unknown {
  if (schemas.length === 1) return schemas[0]
  const literals = schemas.map(findLiterals)
  return literals.every((variant) => variant !== undefined)
    ? { enum: [...new Set(literals.flat())] }
    : { anyOf: schemas }
}

function findLiterals(schema: unknown): unknown[] | undefined {
  if (!isSchema(schema)) return undefined
  if ('const' in schema) return [schema.const]
  return Array.isArray(schema.enum) ? schema.enum : undefined
}
