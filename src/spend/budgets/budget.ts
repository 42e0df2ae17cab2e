import { type PicoUsd, toPicoUsd } from '#platform/core/pico-usd.ts'
import { type Interval, intervals } from '#platform/core/vocabulary.ts'
import { periodEnd, periodStart } from '../ledger/days.ts'
import type { Grouping } from '../ledger/request-group.ts'

/** The spender of a guardrail's limit: a member with all their keys in the workspace, or one key. */
export type Spender = { kind: 'member'; userId: string } | { kind: 'key'; hash: string }

/** The owner of a pooled budget, which counts all spending of a workspace or an organization. */
export type Pool = { kind: 'workspace' | 'organization'; id: string }

/** The limit of a key, of a guardrail for one spender or for one session or tag value, or a pooled budget. */
export type LastingSubject =
  | { kind: 'key'; hash: string }
  | { kind: 'guardrail'; id: string; workspaceId: string; createdAt: number; spender: Spender; isDefault: boolean }
  | GroupSubject
  | { kind: 'pool'; pool: Pool; account: string; createdAt: number }

/** The requests of one session or with one tag value, of all keys and members that a guardrail applies to. */
export type GroupSubject = {
  kind: 'group'
  /** The id of the guardrail. */
  id: string
  workspaceId: string
  /** The creation time of the guardrail, in milliseconds since the epoch. */
  createdAt: number
  /** Whether the guardrail is the default of its workspace, which applies to all keys and members. */
  isDefault: boolean
  grouping: Grouping
  /** The session id or the value of the tag. */
  value: string
}

/**
 * A turn of an intern, which counts all requests of its key since its start, or a session with all its turns. `part` is the field of
 * the intern's budget that set the limit of the turn.
 */
type TurnSubject =
  | { kind: 'turn'; id: string; keyHash: string; startedAt: number; part: 'max_cost_usd' | 'session_max_cost_usd' }
  | { kind: 'session'; internId: string; sessionId: string }

/** The key, guardrail, pool, turn or session whose spending a limit counts. */
export type Subject = LastingSubject | TurnSubject

/** A spending limit. */
export type Budget = {
  /**
   * The id of the account: `key:<hash>`, `guardrail:<id>:member:<user>`, `guardrail:<id>:key:<hash>`, `workspace:<id>:<interval>`,
   * `organization:<id>:<interval>`, `turn:<id>`, `session:<intern> <id>`, or one that starts with `groupAccountPrefix`.
   */
  id: string
  subject: Subject
  limit: PicoUsd
  /** The interval after which it resets; null for never. */
  interval: Interval | null
  /** Whether spending with BYOK keys counts, too. */
  includesByok: boolean
}

/** Any budget except that of an intern's turn or session. */
export type LastingBudget = Budget & { subject: LastingSubject }

/** The limit of one key. `usd` is its amount, `reset` the interval after which it resets. */
export function keyBudget(
  hash: string,
  { usd, reset, includesByok }: { usd: number; reset: Interval | null; includesByok: boolean },
): LastingBudget {
  return {
    id: `key:${hash}`,
    subject: { kind: 'key', hash },
    limit: toPicoUsd(usd),
    interval: reset,
    includesByok,
  }
}

/** The first day of the current period; 0 for a limit that never resets. */
export function periodOf({ interval }: Pick<Budget, 'interval'>, now: number): number {
  return interval === null ? 0 : periodStart(interval, now)
}

/**
 * Returns the current periods of all other intervals. The interval of a limit can change, so spending counts in all of
 * them. Excludes the period of the budget itself.
 */
export function periodsOfOtherIntervals({ interval }: Pick<Budget, 'interval'>, now: number): number[] {
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

export function spendLimitNameOf(subject: LastingSubject): SpendLimitName {
  if (subject.kind === 'key') return 'key_limit'
  if (subject.kind === 'pool') return subject.pool.kind
  if (subject.kind === 'group') return subject.grouping.by
  const { spender, isDefault } = subject
  if (isDefault) return spender.kind === 'member' ? 'workspace_default_member' : 'workspace_default_key'
  return spender.kind === 'member' ? 'member' : 'api_key'
}

/**
 * The start of the accounts of a guardrail's sessions or values of a tag; the value follows. The length of a tag's name
 * precedes the name, so that SQL can separate name and value.
 */
export function groupAccountPrefix(guardrailId: string, grouping: Grouping): string {
  if (grouping.by === 'session') return `guardrail:${guardrailId}:session:`
  const { name } = grouping
  return `guardrail:${guardrailId}:tag:${String([...name].length).padStart(2, '0')}:${name}:`
}

/** The end of the current period, in milliseconds since the epoch; null for never. */
export function resetsAt({ interval }: Pick<Budget, 'interval'>, now: number): number | null {
  return interval === null ? null : periodEnd(interval, now)
}
