import { type BuiltinSlug, builtinSlugs, type FilterAction } from '#policy/filters/detectors/builtins.ts'
import { compilePattern } from '#policy/filters/patterns/compile-pattern.ts'
import type { GuardrailBody } from './budgets.ts'
import { type LitellmConfig, rowsOf, type Section, sectionOf } from './config.ts'
import type { ImportNotes } from './import-notes.ts'

/** The content filters that replace a LiteLLM guardrail. */
type FilterSet = {
  name: string
  /** Whether it applies to every request, or only to keys that it is assigned to. */
  isDefaultOn: boolean
  builtins: Map<BuiltinSlug, FilterAction>
  patterns: { pattern: string; action: FilterAction; label?: string }[]
}

/** The maximum length of the label of a pattern. */
const maxLabelLength = 100

/** The filter for each entity of Presidio and each prebuilt pattern of LiteLLM. */
const entities: Record<string, BuiltinSlug> = {
  EMAIL_ADDRESS: 'email',
  PHONE_NUMBER: 'phone',
  US_SSN: 'ssn',
  CREDIT_CARD: 'credit-card',
  IP_ADDRESS: 'ip-address',
  PERSON: 'person-name',
  LOCATION: 'address',
  email: 'email',
  us_ssn: 'ssn',
  us_phone: 'phone',
  phone: 'phone',
  credit_card: 'credit-card',
  visa: 'credit-card',
  mastercard: 'credit-card',
  amex: 'credit-card',
  discover: 'credit-card',
  ipv4: 'ip-address',
  ipv6: 'ip-address',
  street_address: 'address',
  aws_access_key: 'secrets',
  aws_secret_key: 'secrets',
  github_token: 'secrets',
  slack_token: 'secrets',
  generic_api_key: 'secrets',
}

/** Presidio names its entities in capitals. */
const presidioEntities = Object.keys(entities).filter((name) => name === name.toUpperCase())

const externalServiceNote = 'external services are not supported; docs/filters.md lists the built-in filters'

/** Converts the guardrails of the configuration that check requests. */
export function importContentFilters({ guardrails, litellm }: LitellmConfig, notes: ImportNotes): FilterSet[] {
  const sets = guardrails.flatMap((guardrail) => convertGuardrail(guardrail, notes) ?? [])
  const olderGuardrails = Array.isArray(litellm.guardrails) ? litellm.guardrails : []
  for (const [name, value] of olderGuardrails.flatMap((entry) => Object.entries(sectionOf(entry) ?? {}))) {
    const { callbacks, default_on } = sectionOf(value) ?? {}
    for (const kind of Array.isArray(callbacks) ? callbacks.map(String) : [])
      sets.push(...(convertFilter({ name, isDefaultOn: default_on === true }, kind, {}, notes) ?? []))
  }
  const callbacks = [litellm.callbacks].flat().map(String)
  for (const kind of ['presidio', 'hide_secrets', 'detect_prompt_injection'].filter((name) => callbacks.includes(name)))
    sets.push(...(convertFilter({ name: kind, isDefaultOn: true }, kind, {}, notes) ?? []))
  return sets
}

function convertGuardrail(value: unknown, notes: ImportNotes): FilterSet[] | undefined {
  const { guardrail_name: name = 'guardrail', litellm_params: params } = sectionOf(value) ?? {}
  const fields = sectionOf(params)
  if (!fields) {
    notes.add(`guardrails ${name}`, 'it has no litellm_params')
    return undefined
  }
  const modes = [fields.mode ?? 'pre_call'].flat().map((mode) => (sectionOf(mode) ? 'pre_call' : String(mode)))
  if (!modes.some((mode) => mode === 'pre_call' || mode === 'during_call')) {
    notes.add(`guardrails ${name}`, `mode ${modes.join(', ')}: filters check requests, not responses or logs`)
    return undefined
  }
  if (modes.includes('post_call')) notes.add(`guardrails ${name}`, 'only requests are filtered, not responses')
  return convertFilter(
    { name: String(name), isDefaultOn: fields.default_on === true },
    String(fields.guardrail),
    fields,
    notes,
  )
}

type SetHead = Pick<FilterSet, 'name' | 'isDefaultOn'>

function convertFilter(head: SetHead, kind: string, fields: Section, notes: ImportNotes): FilterSet[] | undefined {
  const set: FilterSet = { ...head, builtins: new Map(), patterns: [] }
  const path = `guardrails ${head.name}`
  if (/^hide[-_]secrets$/.test(kind)) set.builtins.set('secrets', 'redact')
  else if (/prompt_injection$/.test(kind) && !kind.startsWith('lakera'))
    set.builtins.set('regex-prompt-injection', 'block')
  else if (kind === 'presidio') importEntities(set, fields, path, notes)
  else if (kind === 'litellm_content_filter') importPatterns(set, fields, path, notes)
  else notes.add(path, `${kind}: ${externalServiceNote}`)
  return set.builtins.size + set.patterns.length > 0 ? [set] : undefined
}

/** Converts entities of Presidio. Without a list, it masks all that it supports. */
function importEntities(
  set: FilterSet,
  { pii_entities_config: config }: Section,
  path: string,
  notes: ImportNotes,
): void {
  const actions = sectionOf(config) ?? Object.fromEntries(presidioEntities.map((name) => [name, 'MASK']))
  for (const [entity, action] of Object.entries(actions)) {
    const slug = entities[entity]
    if (slug) set.builtins.set(slug, actionOf(action))
    else notes.add(`${path} ${entity}`, 'no built-in filter detects it; add a custom pattern (docs/filters.md)')
  }
}

function importPatterns(set: FilterSet, fields: Section, path: string, notes: ImportNotes): void {
  for (const value of rowsOf(fields.patterns)) {
    const action = actionOf(value.action)
    const name = String(value.pattern_name ?? value.name ?? 'pattern')
    const slug = entities[name]
    if (value.pattern_type !== 'regex' && slug) set.builtins.set(slug, stricter(action, set.builtins.get(slug)))
    else if (typeof value.pattern === 'string') addPattern(set, value.pattern, action, name, path, notes)
    else notes.add(`${path} ${name}`, 'no built-in filter detects it; add a custom pattern (docs/filters.md)')
  }
  for (const value of rowsOf(fields.blocked_words))
    addPattern(set, `(?i)${escapeForPattern(String(value.keyword))}`, actionOf(value.action), undefined, path, notes)
  for (const { category, action } of rowsOf(fields.categories)) {
    if (String(category).startsWith('prompt_injection')) set.builtins.set('regex-prompt-injection', actionOf(action))
    else notes.add(`${path} ${category}`, 'categories are not supported: filters detect patterns, not meaning')
  }
  if (fields.blocked_words_file)
    notes.add(`${path} blocked_words_file`, 'the file is not read: add its words as a pattern')
}

function addPattern(
  set: FilterSet,
  pattern: string,
  action: FilterAction,
  label: string | undefined,
  path: string,
  notes: ImportNotes,
) {
  const compiled = compilePattern(pattern)
  if ('refusal' in compiled) notes.add(`${path} ${label ?? pattern}`, `the pattern ${compiled.refusal}`)
  else set.patterns.push({ pattern, action, ...(label && { label: label.slice(0, maxLabelLength) }) })
}

const actionOf = (action: unknown): FilterAction => (/^block$/i.test(String(action)) ? 'block' : 'redact')
const stricter = (a: FilterAction, b: FilterAction | undefined) => (b === 'block' ? b : a)
const escapeForPattern = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** Converts filter sets to fields of a guardrail. If sets differ in their action, block takes precedence over redact. */
export function filterFields(sets: readonly FilterSet[]): GuardrailBody {
  const builtins = new Map<BuiltinSlug, FilterAction>()
  for (const set of sets)
    for (const [slug, action] of set.builtins) builtins.set(slug, stricter(action, builtins.get(slug)))
  const ordered = builtinSlugs.flatMap((slug) => (builtins.has(slug) ? [{ slug, action: builtins.get(slug)! }] : []))
  const patterns = new Map(sets.flatMap((set) => set.patterns.map((filter) => [filter.pattern, filter])))
  return {
    ...(ordered.length > 0 && { content_filter_builtins: ordered }),
    ...(patterns.size > 0 && { content_filters: [...patterns.values()] }),
  }
}
