import { type BuiltinSlug, builtinSlugs, type FilterAction } from '#policy/filters/detectors/builtins.ts'
import { compilePattern } from '#policy/filters/patterns/patterns.ts'
import type { GuardrailBody } from './budgets.ts'
import { rowsOf, sectionOf } from './budgets.ts'
import type { LitellmConfig, Section } from './config.ts'
import type { Left } from './left.ts'

/** The content rules of a LiteLLM guardrail, as filters of Signalbox. */
export type FilterSet = {
  name: string
  /** Whether it applies to every request, or only to keys that it is assigned to. */
  always: boolean
  builtins: Map<BuiltinSlug, FilterAction>
  patterns: { pattern: string; action: FilterAction; label?: string }[]
}

/** Presidio's entities and the prebuilt patterns of LiteLLM's own filter. */
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

const outside = 'services outside are not asked about texts; docs/filters.md has what is found here'

/** The guardrails of the configuration that look into requests. */
export function contentFiltersOf({ guardrails, litellm }: LitellmConfig, left: Left): FilterSet[] {
  const sets = guardrails.flatMap((one) => setOf(one, left) ?? [])
  const older = Array.isArray(litellm.guardrails) ? litellm.guardrails : []
  for (const [name, given] of older.flatMap((one) => Object.entries(sectionOf(one) ?? {}))) {
    const { callbacks, default_on } = sectionOf(given) ?? {}
    for (const kind of Array.isArray(callbacks) ? callbacks.map(String) : [])
      sets.push(...(filters({ name, always: default_on === true }, kind, {}, left) ?? []))
  }
  const callbacks = [litellm.callbacks].flat().map(String)
  for (const kind of ['presidio', 'hide_secrets', 'detect_prompt_injection'].filter((one) => callbacks.includes(one)))
    sets.push(...(filters({ name: kind, always: true }, kind, {}, left) ?? []))
  return sets
}

function setOf(given: unknown, left: Left): FilterSet[] | undefined {
  const { guardrail_name: name = 'guardrail', litellm_params: params } = sectionOf(given) ?? {}
  const said = sectionOf(params)
  if (!said) {
    left.add(`guardrails ${name}`, 'it has no litellm_params')
    return undefined
  }
  const modes = [said.mode ?? 'pre_call'].flat().map((mode) => (sectionOf(mode) ? 'pre_call' : String(mode)))
  if (!modes.some((mode) => mode === 'pre_call' || mode === 'during_call')) {
    left.add(
      `guardrails ${name}`,
      `mode ${modes.join(', ')}: filters here look into requests, not into answers or logs`,
    )
    return undefined
  }
  if (modes.includes('post_call')) left.add(`guardrails ${name}`, 'of requests alone: answers are not filtered')
  return filters({ name: String(name), always: said.default_on === true }, String(said.guardrail), said, left)
}

type Head = Pick<FilterSet, 'name' | 'always'>

function filters(head: Head, kind: string, said: Section, left: Left): FilterSet[] | undefined {
  const set: FilterSet = { ...head, builtins: new Map(), patterns: [] }
  const path = `guardrails ${head.name}`
  if (/^hide[-_]secrets$/.test(kind)) set.builtins.set('secrets', 'redact')
  else if (/prompt_injection$/.test(kind) && !kind.startsWith('lakera'))
    set.builtins.set('regex-prompt-injection', 'block')
  else if (kind === 'presidio') takeEntities(set, said, path, left)
  else if (kind === 'litellm_content_filter') takePatterns(set, said, path, left)
  else left.add(path, `${kind}: ${outside}`)
  return set.builtins.size + set.patterns.length > 0 ? [set] : undefined
}

/** Without a list of its own, Presidio masks whatever it knows. */
function takeEntities(set: FilterSet, { pii_entities_config: config }: Section, path: string, left: Left): void {
  const wanted =
    sectionOf(config) ??
    Object.fromEntries(
      Object.keys(entities)
        .slice(0, 7)
        .map((name) => [name, 'MASK']),
    )
  for (const [entity, action] of Object.entries(wanted)) {
    const slug = entities[entity]
    if (slug) set.builtins.set(slug, actionOf(action))
    else left.add(`${path} ${entity}`, 'no filter here finds it; a pattern of your own may (docs/filters.md)')
  }
}

function takePatterns(set: FilterSet, said: Section, path: string, left: Left): void {
  for (const given of rowsOf(said.patterns)) {
    const action = actionOf(given.action)
    const name = String(given.pattern_name ?? given.name ?? 'pattern')
    const slug = entities[name]
    if (given.pattern_type !== 'regex' && slug) set.builtins.set(slug, stricter(action, set.builtins.get(slug)))
    else if (typeof given.pattern === 'string') addPattern(set, given.pattern, action, name, path, left)
    else left.add(`${path} ${name}`, 'no filter here finds it; a pattern of your own may (docs/filters.md)')
  }
  for (const given of rowsOf(said.blocked_words))
    addPattern(set, `(?i)${literal(String(given.keyword))}`, actionOf(given.action), undefined, path, left)
  for (const { category, action } of rowsOf(said.categories)) {
    if (String(category).startsWith('prompt_injection')) set.builtins.set('regex-prompt-injection', actionOf(action))
    else left.add(`${path} ${category}`, 'a category is a matter of meaning, and filters here find patterns')
  }
  if (said.blocked_words_file) left.add(`${path} blocked_words_file`, 'its words are not read: add a pattern of them')
}

function addPattern(
  set: FilterSet,
  pattern: string,
  action: FilterAction,
  label: string | undefined,
  path: string,
  left: Left,
) {
  const compiled = compilePattern(pattern)
  if ('refused' in compiled) left.add(`${path} ${label ?? pattern}`, `the pattern ${compiled.refused}`)
  else set.patterns.push({ pattern, action, ...(label && { label: label.slice(0, 100) }) })
}

const actionOf = (action: unknown): FilterAction => (/^block$/i.test(String(action)) ? 'block' : 'redact')
const stricter = (one: FilterAction, other: FilterAction | undefined) => (other === 'block' ? other : one)
const literal = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** As a guardrail takes them. Several sets that always hold are one: block goes before redact. */
export function filterFields(sets: readonly FilterSet[]): GuardrailBody {
  const builtins = new Map<BuiltinSlug, FilterAction>()
  for (const set of sets)
    for (const [slug, action] of set.builtins) builtins.set(slug, stricter(action, builtins.get(slug)))
  const ordered = builtinSlugs.flatMap((slug) => (builtins.has(slug) ? [{ slug, action: builtins.get(slug)! }] : []))
  const patterns = new Map(sets.flatMap((set) => set.patterns.map((one) => [one.pattern, one])))
  return {
    ...(ordered.length > 0 && { content_filter_builtins: ordered }),
    ...(patterns.size > 0 && { content_filters: [...patterns.values()] }),
  }
}
