import { mapItems } from '../json/map-texts.ts'
import { toLatestDraft, toNames, withNullType, withoutUndefined } from './latest-draft.ts'
import {
  ignorableKeywords,
  isSchema,
  moveIntoDescription,
  type Schema,
  type SchemaRules,
  schemaKeywords,
} from './schema-keywords.ts'
import { resolveRef, resolveRoot } from './schema-refs.ts'
import { hasType, isKnownType } from './schema-types.ts'

/** Reports a keyword that is removed from a schema. */
export type ReportKeyword = (keyword: string) => void

/** Limits of replaced references and of the copied schemas, because copies of copies would grow without bound. */
const maxRefs = 100
const maxCopiedNodes = 20_000

/**
 * Converts a schema to the subset that a provider accepts. Uses keywords of later drafts, replaces boolean schemas, and
 * moves unsupported keywords into the description. Returns the same object if nothing changes.
 */
export function fitSchema(schema: unknown, rules: SchemaRules, report: ReportKeyword): Schema {
  return fitNode(resolveRoot(schema), {
    rules,
    report,
    root: isSchema(schema) ? schema : {},
    openRefs: [],
    remaining: { refs: maxRefs, nodes: maxCopiedNodes },
  })
}

type FitContext = {
  rules: SchemaRules
  report: ReportKeyword
  /** The whole schema, for resolving references. */
  root: Schema
  /** References that are being replaced. A reference to one of them is recursive and cannot be replaced. */
  openRefs: readonly string[]
  /** The references that can still be replaced, and the schemas that can still be copied. */
  remaining: { refs: number; nodes: number }
}

function fitNode(original: unknown, outerContext: FitContext): Schema {
  // `true` accepts any value, as an empty schema does.
  if (!isSchema(original)) return {}
  const { rules, remaining, openRefs } = outerContext
  if (openRefs.length > 0) remaining.nodes--
  if (typeof original.$ref === 'string' && !isAcceptedRef(original, outerContext))
    return withoutRef(original, outerContext)
  const [flatSchema, context] = withoutAllOf(original, outerContext)
  let schema = toLatestDraft(flatSchema)
  schema = withSupportedKeywords(schema, rules)
  // Keywords move first: a description must not contain other descriptions.
  schema = withoutUnsupported(schema, context)
  schema = fitParts(schema, context)
  if (hasType(schema.type, 'array') && schema.items === undefined && schema.prefixItems === undefined)
    schema = { ...schema, items: {} }
  if (rules.closesObjects || rules.declaresRequired) schema = withDeclaredRequired(schema, context)
  if (rules.closesObjects && describesObject(schema) && schema.additionalProperties !== false) {
    schema = isDictionary(schema) ? describeDictionary(schema, context) : schema
    schema = { ...schema, properties: schema.properties ?? {}, additionalProperties: false }
  }
  return schema
}

/** Moves the schema of properties of any name into the description, because a closed object has none. */
function describeDictionary({ additionalProperties, ...schema }: Schema, { report }: FitContext): Schema {
  report('additionalProperties')
  return moveIntoDescription(schema, { additionalProperties })
}

/** Whether an object is meant to have properties of any name. Closed, it has none of them. */
export function isDictionary({ additionalProperties, properties }: Schema): boolean {
  if (additionalProperties === true) return !isSchema(properties) || Object.keys(properties).length === 0
  return isSchema(additionalProperties)
}

const supports = ({ keywords, unsupported }: SchemaRules, keyword: string) =>
  keywords ? keywords.has(keyword) : !unsupported?.has(keyword)

/** Whether a provider accepts a reference and the keywords beside it. */
function isAcceptedRef(schema: Schema, context: FitContext): boolean {
  const hasSiblings = Object.keys(schema).length > 1
  return !(context.rules.isolatesRefs && hasSiblings) && isAcceptedTarget(String(schema.$ref), context)
}

/** Providers refuse a reference to nothing, to another document, or to a keyword that is removed. */
function isAcceptedTarget(ref: string, { rules, root }: FitContext): boolean {
  if (!supports(rules, '$ref') || resolveRef(root, ref) === undefined) return false
  const [, keyword] = ref.split('/')
  return keyword === undefined || supports(rules, keyword)
}

/** Removes required names that no property has. */
function withDeclaredRequired(schema: Schema, { report }: FitContext): Schema {
  const { required, ...rest } = schema
  if (!Array.isArray(required)) return schema
  const properties = isSchema(schema.properties) ? schema.properties : {}
  const declared = required.filter((name) => Object.hasOwn(properties, name))
  if (declared.length === required.length) return schema
  report('required')
  return declared.length > 0 ? { ...rest, required: declared } : rest
}

const describesObject = ({ type, properties }: Schema) =>
  hasType(type, 'object') || (type === undefined && properties !== undefined)

/** The schema of a reference. Undefined if the reference is recursive, or if too much was copied already. */
function findCopiedSchema(ref: string, { root, openRefs, remaining }: FitContext): Schema | undefined {
  const isAllowed = remaining.refs-- > 0 && remaining.nodes > 0 && !openRefs.includes(ref)
  return isAllowed ? resolveRef(root, ref) : undefined
}

function withoutRef({ $ref, ...siblings }: Schema, context: FitContext): Schema {
  const ref = String($ref)
  const { openRefs } = context
  const target = findCopiedSchema(ref, context)
  if (target === undefined) {
    // Without its siblings, mostly a description, the reference is accepted.
    if (isAcceptedTarget(ref, context)) return { $ref }
    context.report('$ref')
    // A recursive schema is most often an object.
    return fitNode({ type: 'object', ...siblings }, context)
  }
  return fitNode({ ...target, ...siblings }, { ...context, openRefs: [...openRefs, ref] })
}

/** Replaces unsupported keywords by supported ones with the same meaning. */
function withSupportedKeywords(schema: Schema, rules: SchemaRules): Schema {
  let current = schema.nullable === true && !supports(rules, 'nullable') ? withNullType(schema) : schema
  if ('const' in current && !supports(rules, 'const')) {
    const { const: constant, ...rest } = current
    current = { ...rest, enum: [constant] }
  }
  if (Array.isArray(current.oneOf) && !supports(rules, 'oneOf') && current.anyOf === undefined) {
    const { oneOf, ...rest } = current
    current = { ...rest, anyOf: oneOf }
  }
  if (Array.isArray(current.prefixItems) && !supports(rules, 'prefixItems')) {
    const { prefixItems, ...rest } = current
    current = { ...rest, items: rest.items ?? { anyOf: prefixItems } }
  }
  return current
}

/** Merges `allOf` where it is not supported, with the schemas that it refers to. These references are open afterwards. */
function withoutAllOf(schema: Schema, context: FitContext): [Schema, FitContext] {
  if (!Array.isArray(schema.allOf) || supports(context.rules, 'allOf')) return [schema, context]
  const openRefs = [...context.openRefs]
  const resolve = ({ $ref, ...siblings }: Schema): Schema => {
    if (typeof $ref !== 'string') return $ref === undefined ? siblings : { $ref, ...siblings }
    const target = findCopiedSchema($ref, { ...context, openRefs })
    if (target === undefined) {
      context.report('$ref')
      return siblings
    }
    openRefs.push($ref)
    return resolve({ ...target, ...siblings })
  }
  return [mergeAllOf(schema, resolve), { ...context, openRefs }]
}

/**
 * Merges schemas into one with the properties and required names of all. For other keywords, the first schema that has
 * one wins.
 * @param resolve replaces a schema that is a reference.
 */
export function mergeAllOf(schema: Schema, resolve = (item: Schema): Schema => item): Schema {
  const all = flattenAllOf(schema, resolve)
  const merged: Schema = Object.assign({}, ...all.toReversed())
  const properties = Object.assign({}, ...all.map((item) => (isSchema(item.properties) ? item.properties : {})))
  const required = new Set(all.flatMap((item) => toNames(item.required) ?? []))
  if (Object.keys(properties).length > 0) merged.properties = properties
  if (required.size > 0) merged.required = [...required]
  return merged
}

/** The schema and all schemas that it includes by `allOf`, recursively, each without its `allOf`. */
function flattenAllOf(schema: Schema, resolve: (item: Schema) => Schema): Schema[] {
  const flat: Schema[] = []
  const pending = [schema]
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { allOf, ...rest } = resolve(next)
    flat.push(rest)
    if (Array.isArray(allOf)) pending.push(...allOf.filter(isSchema).toReversed())
  }
  return flat
}

function fitParts(schema: Schema, context: FitContext): Schema {
  let current = schema
  for (const keyword in schema) {
    const fittedValue = fitPart(keyword, schema[keyword], context)
    if (fittedValue === schema[keyword]) continue
    current = { ...current, [keyword]: fittedValue }
  }
  return current
}

function fitPart(keyword: string, value: unknown, context: FitContext): unknown {
  if (schemaKeywords.list.has(keyword) && Array.isArray(value)) return mapItems(value, (item) => fitNode(item, context))
  if (schemaKeywords.map.has(keyword) && isSchema(value)) return fitMap(value, context)
  if (!schemaKeywords.single.has(keyword)) return value
  // As the value of `additionalProperties`, providers accept a boolean, but not as the schema of items.
  const isFlag = typeof value === 'boolean' && keyword !== 'items' && keyword !== 'contains'
  return isFlag ? value : fitNode(value, context)
}

/** A property that is `false` can have no value, so it is dropped. */
function fitMap(map: Schema, context: FitContext): Schema {
  let changed: Schema | undefined
  for (const name in map) {
    const value = map[name]
    const next = value === false ? undefined : fitNode(value, context)
    if (next === value) continue
    changed ??= { ...map }
    changed[name] = next
  }
  return changed ? withoutUndefined(changed) : map
}

function withoutUnsupported(schema: Schema, { rules, report }: FitContext): Schema {
  const moved: Schema = {}
  let remaining: Schema | undefined
  for (const keyword in schema) {
    const value = schema[keyword]
    if (isAccepted(keyword, value, rules)) continue
    remaining ??= { ...schema }
    delete remaining[keyword]
    if (ignorableKeywords.has(keyword) || keyword === '$defs' || keyword === 'definitions') continue
    if (keyword === 'additionalProperties' && typeof value === 'boolean') continue
    moved[keyword] = value
    report(keyword)
  }
  return remaining ? moveIntoDescription(remaining, moved) : schema
}

function isAccepted(keyword: string, value: unknown, rules: SchemaRules): boolean {
  if (keyword === '$schema') return false
  if (keyword === 'type' && !isKnownType(value)) return false
  if (rules.accepts && !rules.accepts(keyword, value)) return false
  if (keyword === 'format' && rules.formats) return rules.formats.has(String(value))
  return supports(rules, keyword)
}
