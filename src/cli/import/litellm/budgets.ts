import type { Interval } from '#platform/core/vocabulary.ts'
import type { CatalogueDraft } from './catalogue.ts'
import type { LitellmConfig, Section } from './config.ts'
import type { Left } from './left.ts'
import { plainSlugOf } from './names.ts'

export type GuardrailBody = Record<string, unknown>
export type KeyWanted = { name: string; limit?: number; limit_reset?: Interval; expires_at?: string }

/** The objects to create with a management key. */
export type Policies = {
  /** Of the workspace of the key that makes them. */
  defaults: GuardrailBody
  guardrails: { name: string; body: GuardrailBody; members?: true }[]
  workspaces: { name: string; slug: string; defaults: GuardrailBody; key: KeyWanted }[]
  /** With the models that each may use, where that is said. */
  keys: { key: KeyWanted; models?: string[] }[]
}

const days: Record<string, number> = { s: 1 / 86_400, m: 1 / 1440, h: 1 / 24, d: 1, w: 7, mo: 30 }

/** In days: `30d`, `1mo`, `24h`. */
function lengthOf(duration: unknown): number | undefined {
  const [, count, unit] = /^(\d+)\s*(mo|[smhdw])$/.exec(String(duration ?? '')) ?? []
  return unit === undefined ? undefined : Number(count) * days[unit]!
}

/**
 * The interval for a duration of LiteLLM. If none is as long, the next longer one is used, so that never more is spent
 * than LiteLLM allowed.
 */
export function intervalOf(duration: unknown): { interval?: Interval; exact: boolean } {
  const length = lengthOf(duration)
  if (!length) return { exact: duration === undefined || duration === null }
  if (length <= 1) return { interval: 'daily', exact: length === 1 }
  if (length <= 7) return { interval: 'weekly', exact: length === 7 }
  if (length <= 31) return { interval: 'monthly', exact: length >= 30 }
  return { exact: false }
}

/** Budgets, and the defaults for keys, teams and users. Guardrails that look into texts are not included. */
export function budgetsOf(config: LitellmConfig, draft: CatalogueDraft, left: Left, now: Date): Policies {
  const { litellm, general } = config
  const policies: Policies = { defaults: {}, guardrails: [], workspaces: [], keys: [] }
  const from = litellm.max_budget !== undefined ? litellm : general
  const where = from === litellm ? 'litellm_settings' : 'general_settings'
  policies.defaults = limitsOf(from, where, left, ['limit_usd', 'reset_interval']) ?? {}
  if (general.master_key) policies.keys.push({ key: { name: 'litellm' } })
  const given = sectionOf(litellm.default_key_generate_params)
  if (given) {
    const path = 'litellm_settings.default_key_generate_params'
    const limits = limitsOf(given, path, left, ['limit', 'limit_reset'])
    const models = modelsOf(given.models, `${path}.models`, draft, left)
    const lasting = lengthOf(given.duration)
    const expires = lasting && { expires_at: new Date(now.getTime() + lasting * 86_400_000).toISOString() }
    if (!limits || models?.length === 0) left.add(path, 'no key is made, as it would be allowed more than it was')
    else policies.keys.push({ key: { name: 'litellm-default-key', ...limits, ...expires }, ...(models && { models }) })
    tellRates(given, path, left)
  }
  addMembers(config, policies, draft, left)
  addTeams(config, policies, draft, left)
  return policies
}

function addMembers({ litellm, general }: LitellmConfig, policies: Policies, draft: CatalogueDraft, left: Left): void {
  const section = litellm.max_internal_user_budget === undefined ? general : litellm
  const { max_internal_user_budget: max_budget, internal_user_budget_duration: budget_duration } = section
  const path = 'litellm_settings.default_internal_user_params'
  const given = sectionOf(litellm.default_internal_user_params)
  const budget = limitsOf({ max_budget, budget_duration, ...given }, path, left, ['limit_usd', 'reset_interval'])
  const models = modelsOf(given?.models, `${path}.models`, draft, left)
  if (given) tellRates(given, path, left)
  if (!budget || models?.length === 0) left.add(path, 'no guardrail is made, as it would allow more than it did')
  if (!budget || models?.length === 0 || (!('limit_usd' in budget) && !models)) return
  const name = 'LiteLLM internal users'
  policies.guardrails.push({ name, body: { ...budget, ...(models && { allowed_models: models }) }, members: true })
}

function addTeams({ litellm }: LitellmConfig, policies: Policies, draft: CatalogueDraft, left: Left): void {
  for (const team of rowsOf(litellm.default_team_settings)) {
    const name = String(team.team_alias ?? team.team_id ?? 'team')
    const path = `litellm_settings.default_team_settings ${name}`
    const models = modelsOf(team.models, `${path}.models`, draft, left)
    const budget = limitsOf(team, path, left, ['limit_usd', 'reset_interval'])
    const defaults = { ...budget, ...(models && { allowed_models: models }) }
    const key = { name: `litellm-${plainSlugOf(name)}` }
    if (!budget || models?.length === 0) left.add(path, 'no workspace is made, as it would be allowed more than it was')
    else policies.workspaces.push({ name, slug: plainSlugOf(name), defaults, key })
    tellRates(team, path, left)
    if (team.success_callback || team.failure_callback)
      left.add(path, 'callbacks of a team have no equal: metrics and traces are the whole service’s')
  }
}

/** The members of a list that are maps. */
export const rowsOf = (value: unknown): Section[] =>
  Array.isArray(value) ? value.flatMap((one): Section[] => (sectionOf(one) ? [one] : [])) : []

export const sectionOf = (value: unknown): Section | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Section) : undefined

/** `max_budget` and `budget_duration`, by the names that they have here; undefined where there is one that no limit can be. */
function limitsOf(from: Section, path: string, left: Left, [limit, reset]: [string, string]): Section | undefined {
  if (from.max_budget === undefined || from.max_budget === null) return {}
  const amount = typeof from.max_budget === 'number' ? from.max_budget : Number.NaN
  if (!(amount > 0)) {
    left.add(`${path}.max_budget`, `${JSON.stringify(from.max_budget)} is no amount in USD above 0`)
    return undefined
  }
  const { interval, exact } = intervalOf(from.budget_duration)
  if (!exact) {
    const instead = interval ? `spending starts anew ${interval} instead` : 'spending never starts anew'
    left.add(`${path}.budget_duration ${from.budget_duration}`, instead)
  }
  return { [limit]: amount, ...(interval && { [reset]: interval }) }
}

/** Undefined where all are allowed; empty where none of those named was taken, which is not the same. */
function modelsOf(names: unknown, path: string, draft: CatalogueDraft, left: Left): string[] | undefined {
  const named = [names ?? []].flat().map(String)
  if (named.length === 0 || named.includes('all-proxy-models')) return undefined
  const ids = named.flatMap((name) => {
    const found = draft.groups.get(name)
    if (!found) left.add(`${path} ${name}`, 'no row of this name was taken: it is not among the models allowed')
    return found ?? []
  })
  return [...new Set(ids)]
}

function tellRates(from: Section, path: string, left: Left): void {
  for (const name of ['rpm_limit', 'tpm_limit', 'max_parallel_requests'])
    if (from[name] !== undefined && from[name] !== null)
      left.add(`${path}.${name}`, 'there are no limits of rate for keys')
}
