import type { PicoUsd } from '#platform/core/pico-usd.ts'
import { type Interval, intervals } from '#platform/core/vocabulary.ts'
import { type Day, periodEnd, periodStart } from '../ledger/days.ts'
import type { Grouping } from '../ledger/request-group.ts'

/** The spender of a guardrail's limit: a member with all their keys in the workspace, or one key. */
export type Spender = { kind: 'member'; userId: string } | { kind: 'key'; hash: string }

/** The owner of a pooled budget, which counts all spending of a workspace or an organization. */
export type BudgetOwner = { kind: 'workspace' | 'organization'; id: string }

/** The limit of a key, of a guardrail for one spender or for one session or tag value, or a pooled budget. */
export type PersistentSubject = { kind: 'key'; hash: string } | GuardrailSubject | GroupSubject | PoolSubject

/** The guardrail that sets a limit. */
type LimitingGuardrail = {
  guardrailId: string
  workspaceId: string
  /** The creation time of the guardrail, in milliseconds since the epoch. */
  createdAt: number
  /** Whether the guardrail is the default of its workspace, which applies to all keys and members. */
  isDefault: boolean
}

/** The requests of one member or key, for each of which the limit of a guardrail applies separately. */
export type GuardrailSubject = LimitingGuardrail & { kind: 'guardrail'; spender: Spender }

/** The requests of one session or with one tag value, of all keys and members that a guardrail applies to. */
export type GroupSubject = LimitingGuardrail & {
  kind: 'group'
  grouping: Grouping
  /** The session id or the value of the tag. */
  value: string
}

/** All requests of a workspace or an organization since the creation of the budget, in milliseconds since the epoch. */
type PoolSubject = { kind: 'pool'; pool: BudgetOwner; account: string; createdAt: number }

/**
 * A turn of an intern, which counts all requests of its key since its start, or a session with all its turns. `part` is the field of
 * the intern's budget that set the limit of the turn.
 */
type TurnSubject =
  | { kind: 'turn'; id: string; keyHash: string; startedAt: number; part: 'max_cost_usd' | 'session_max_cost_usd' }
  | { kind: 'session'; internId: string; sessionId: string }

/** The key, guardrail, pool, turn or session whose spending a limit counts. */
export type Subject = PersistentSubject | TurnSubject

export const isPersistent = (subject: Subject): subject is PersistentSubject =>
  subject.kind !== 'turn' && subject.kind !== 'session'

/** A spending limit. */
export type Budget = {
  /** The id of its account (`account-id.ts`). */
  id: string
  subject: Subject
  limit: PicoUsd
  /** The interval after which it resets; null for never. */
  interval: Interval | null
  /** Whether spending with BYOK keys counts, too. */
  includesByok: boolean
}

/** The cost of a request, and whether it used a BYOK key, which not every budget counts. */
export type SettledCost = { cost: PicoUsd; byok: boolean }

export const countsCost = ({ includesByok }: Budget, { byok }: Pick<SettledCost, 'byok'>): boolean =>
  !byok || includesByok

/** Any budget except that of an intern's turn or session. */
export type PersistentBudget = Budget & { subject: PersistentSubject }

/** The period of a limit, named by its first day; 0 for a limit that never resets. */
export type Period = Day

/** Returns the current period. */
export function periodOf({ interval }: Pick<Budget, 'interval'>, now: number): Period {
  return interval === null ? 0 : periodStart(interval, now)
}

/**
 * Returns the current periods of all other intervals. The interval of a limit can change, so spending counts in all of
 * them. Excludes the period of the budget itself.
 */
export function periodsOfOtherIntervals({ interval }: Pick<Budget, 'interval'>, now: number): Period[] {
  const ownPeriod = periodOf({ interval }, now)
  return [null, ...intervals]
    .map((other) => periodOf({ interval: other }, now))
    .filter((period) => period !== ownPeriod)
}

/** The names of limits in the order of their checks. Errors and webhooks have them in the field `layer`. */
export const spendLimitNames = [
  'organization',
  'workspace',
  'workspace_default_member',
  'workspace_default_key',
  'member',
  'api_key',
  'session',
  'tag',
  'key_limit',
] as const
type SpendLimitName = (typeof spendLimitNames)[number]

export function spendLimitNameOf(subject: PersistentSubject): SpendLimitName {
  if (subject.kind === 'key') return 'key_limit'
  if (subject.kind === 'pool') return subject.pool.kind
  if (subject.kind === 'group') return subject.grouping.by
  const { spender, isDefault } = subject
  if (isDefault) return spender.kind === 'member' ? 'workspace_default_member' : 'workspace_default_key'
  return spender.kind === 'member' ? 'member' : 'api_key'
}

/** The end of the current period, in milliseconds since the epoch; null for never. */
export function resetsAt({ interval }: Pick<Budget, 'interval'>, now: number): number | null {
  return interval === null ? null : periodEnd(interval, now)
}
