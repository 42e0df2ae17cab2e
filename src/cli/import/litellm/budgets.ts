import { dayMs } from '#platform/core/clock.ts'
import type { Interval } from '#platform/core/vocabulary.ts'
import type { CatalogueDraft } from './catalogue/catalogue-draft.ts'
import { type LitellmConfig, rowsOf, type Section, sectionOf } from './config.ts'
import type { ImportNotes } from './import-notes.ts'
import { plainSlugOf } from './names.ts'

export type GuardrailBody = Record<string, unknown>
/** A budget that all keys of a workspace or of the organization share. */
export type NewBudget = { interval: Interval | 'lifetime'; limit_usd: number }
type NewKey = { name: string; limit?: number; limit_reset?: Interval; expires_at?: string }

/** The objects to create with a management key. */
export type ObjectsToCreate = {
  /** The budget of the organization. */
  budget?: NewBudget
  /** Rules for the default guardrail of the management key's workspace. Content filters are added later, also to those of `workspaces`. */
  defaults: GuardrailBody
  /** `isForMembers`: it applies to no one until members are assigned to it. */
  guardrails: { name: string; body: GuardrailBody; isForMembers?: true }[]
  workspaces: { name: string; slug: string; budget?: NewBudget; defaults: GuardrailBody; key: NewKey }[]
  /** Keys, with the models that each is allowed to use, if limited. */
  keys: { key: NewKey; models?: string[] }[]
}

const daysPerUnit: Record<string, number> = { s: 1 / 86_400, m: 1 / 1440, h: 1 / 24, d: 1, w: 7, mo: 30 }

/** Parses `30d`, `1mo` or `24h`. @returns days */
function parseDays(duration: unknown): number | undefined {
  const [, count, unit] = /^(\d+)\s*(mo|[smhdw])$/.exec(String(duration ?? '')) ?? []
  return unit === undefined ? undefined : Number(count) * daysPerUnit[unit]!
}

/**
 * The interval for a duration of LiteLLM. If none is equal, the next longer one is used, so that never more is spent than
 * LiteLLM allowed.
 */
function toInterval(duration: unknown): { interval?: Interval; isExact: boolean } {
  const days = parseDays(duration)
  if (!days) return { isExact: duration === undefined || duration === null }
  if (days <= 1) return { interval: 'daily', isExact: days === 1 }
  if (days <= 7) return { interval: 'weekly', isExact: days === 7 }
  // A month has up to 31 days, and 30 days are meant as one.
  if (days <= 31) return { interval: 'monthly', isExact: days >= 30 }
  return { isExact: false }
}

/** Converts budgets, and the defaults for keys, teams and users. */
export function importBudgets(
  config: LitellmConfig,
  draft: CatalogueDraft,
  notes: ImportNotes,
  now: Date,
): ObjectsToCreate {
  const { litellm, general } = config
  const objects: ObjectsToCreate = { defaults: {}, guardrails: [], workspaces: [], keys: [] }
  const section = litellm.max_budget !== undefined ? litellm : general
  const sectionName = section === litellm ? 'litellm_settings' : 'general_settings'
  const budget = budgetOf(limitsOf(section, sectionName, notes, guardrailNames))
  if (budget) objects.budget = budget
  // LiteLLM's clients can use models with its master key. Here a management key cannot, so the clients get an API key.
  if (general.master_key) objects.keys.push({ key: { name: 'litellm' } })
  const params = sectionOf(litellm.default_key_generate_params)
  if (params) {
    const path = 'litellm_settings.default_key_generate_params'
    const limits = limitsOf(params, path, notes, keyNames)
    const models = modelsOf(params.models, `${path}.models`, draft, notes)
    const validDays = parseDays(params.duration)
    const expires = validDays && { expires_at: new Date(now.getTime() + validDays * dayMs).toISOString() }
    if (!limits || allowsNoModel(models))
      notes.add(path, 'no key is created, because it would be less limited than in LiteLLM')
    else objects.keys.push({ key: { name: 'litellm-default-key', ...limits, ...expires }, ...(models && { models }) })
    noteRateLimits(params, path, notes)
  }
  addMembers(config, objects, draft, notes)
  addTeams(config, objects, draft, notes)
  return objects
}

function addMembers(
  { litellm, general }: LitellmConfig,
  objects: ObjectsToCreate,
  draft: CatalogueDraft,
  notes: ImportNotes,
): void {
  const section = litellm.max_internal_user_budget === undefined ? general : litellm
  const { max_internal_user_budget: max_budget, internal_user_budget_duration: budget_duration } = section
  const path = 'litellm_settings.default_internal_user_params'
  const params = sectionOf(litellm.default_internal_user_params)
  const budget = limitsOf({ max_budget, budget_duration, ...params }, path, notes, guardrailNames)
  const models = modelsOf(params?.models, `${path}.models`, draft, notes)
  if (params) noteRateLimits(params, path, notes)
  if (!budget || allowsNoModel(models)) {
    notes.add(path, 'no guardrail is created, because it would allow more than in LiteLLM')
    return
  }
  const hasRules = 'limit_usd' in budget || models !== undefined
  if (!hasRules) return
  const name = 'LiteLLM internal users'
  objects.guardrails.push({ name, body: { ...budget, ...(models && { allowed_models: models }) }, isForMembers: true })
}

function addTeams(
  { litellm }: LitellmConfig,
  objects: ObjectsToCreate,
  draft: CatalogueDraft,
  notes: ImportNotes,
): void {
  for (const team of rowsOf(litellm.default_team_settings)) {
    const name = String(team.team_alias ?? team.team_id ?? 'team')
    const path = `litellm_settings.default_team_settings ${name}`
    const models = modelsOf(team.models, `${path}.models`, draft, notes)
    const limits = limitsOf(team, path, notes, guardrailNames)
    const budget = budgetOf(limits)
    const defaults = { ...(models && { allowed_models: models }) }
    const key = { name: `litellm-${plainSlugOf(name)}` }
    if (!limits || allowsNoModel(models))
      notes.add(path, 'no workspace is created, because it would be less limited than in LiteLLM')
    else objects.workspaces.push({ name, slug: plainSlugOf(name), ...(budget && { budget }), defaults, key })
    noteRateLimits(team, path, notes)
    if (team.success_callback || team.failure_callback)
      notes.add(path, 'callbacks of a team are not supported: metrics and traces are for the whole service')
  }
}

function budgetOf(limits: Section | undefined): NewBudget | undefined {
  const { limit_usd, reset_interval = 'lifetime' } = (limits ?? {}) as { limit_usd?: number; reset_interval?: Interval }
  return limit_usd === undefined ? undefined : { interval: reset_interval, limit_usd }
}

/** The fields of a guardrail, and of a key, for a limit and its interval. */
const guardrailNames = { limit: 'limit_usd', interval: 'reset_interval' }
const keyNames = { limit: 'limit', interval: 'limit_reset' }

/**
 * Converts `max_budget` and `budget_duration` to the given names.
 * @returns an empty object without a budget; undefined for an invalid one.
 */
function limitsOf(
  section: Section,
  path: string,
  notes: ImportNotes,
  names: { limit: string; interval: string },
): Section | undefined {
  if (section.max_budget === undefined || section.max_budget === null) return {}
  const amount = typeof section.max_budget === 'number' ? section.max_budget : Number.NaN
  if (!(amount > 0)) {
    notes.add(`${path}.max_budget`, `${JSON.stringify(section.max_budget)} is not a positive amount in USD`)
    return undefined
  }
  const { interval, isExact } = toInterval(section.budget_duration)
  if (!isExact) {
    const difference = interval ? `the limit resets ${interval} instead` : 'the limit never resets'
    notes.add(`${path}.budget_duration ${section.budget_duration}`, difference)
  }
  const limits: Section = { [names.limit]: amount }
  if (interval) limits[names.interval] = interval
  return limits
}

/** The ids of the only allowed models; undefined if all models are allowed. */
type AllowedModels = string[] | undefined

/** Whether none of the allowed models was imported. An object without its list of models would allow all. */
const allowsNoModel = (models: AllowedModels) => models?.length === 0

function modelsOf(names: unknown, path: string, draft: CatalogueDraft, notes: ImportNotes): AllowedModels {
  const groupNames = [names ?? []].flat().map(String)
  if (groupNames.length === 0 || groupNames.includes('all-proxy-models')) return undefined
  const ids = groupNames.flatMap((name) => {
    const found = draft.groups.get(name)
    if (!found) notes.add(`${path} ${name}`, 'no row of this name was imported, so it is not an allowed model')
    return found ?? []
  })
  return [...new Set(ids)]
}

function noteRateLimits(section: Section, path: string, notes: ImportNotes): void {
  for (const name of ['rpm_limit', 'tpm_limit', 'max_parallel_requests'])
    if (section[name] !== undefined && section[name] !== null)
      notes.add(`${path}.${name}`, 'rate limits for keys are not supported')
}
