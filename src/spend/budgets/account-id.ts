import type { RawBuilder } from 'kysely'
import { sql } from '#platform/db/kysely.ts'
import type { Grouping } from '../ledger/request-group.ts'
import type { BudgetOwner, Spender } from './budget.ts'

/**
 * The ids of accounts, which sum what limits count: the column `budget` of `budget_periods`, `budget_leases` and `told_limits`.
 * Rows have them, so their forms must not change.
 */
export const accountId = {
  key: (hash: string) => `key:${hash}`,
  guardrail: (guardrailId: string, spender: Spender) =>
    `guardrail:${guardrailId}:${spender.kind === 'member' ? `member:${spender.userId}` : `key:${spender.hash}`}`,
  /** One session or tag value, for all keys and members that a guardrail applies to. */
  group: (guardrailId: string, grouping: Grouping, value: string) => groupAccountPrefix(guardrailId, grouping) + value,
  pool: ({ kind, id }: BudgetOwner, interval: string) => `${kind}:${id}:${interval}`,
  turn: (turnId: string) => `turn:${turnId}`,
  session: (internId: string, sessionId: string) => `session:${internId} ${sessionId}`,
}

/** The starts of the accounts of a guardrail's members and keys. */
export const spenderAccountPrefixes = (guardrailId: string): string[] =>
  (['member', 'key'] as const).map((kind) => `guardrail:${guardrailId}:${kind}:`)

/**
 * The start of the accounts of a guardrail's sessions or values of a tag; the value follows. The length of a tag's name
 * precedes the name, so that SQL can separate name and value.
 */
export function groupAccountPrefix(guardrailId: string, grouping: Grouping): string {
  if (grouping.by === 'session') return `guardrail:${guardrailId}:session:`
  const { name } = grouping
  return `guardrail:${guardrailId}:tag:${String([...name].length).padStart(2, '0')}:${name}:`
}

/** The positions in a group account, from 1. `guardrail:` has 10 characters, and the id of a guardrail 36. */
const groupingAt = 47
const sessionAt = groupingAt + ':session:'.length
const tagLengthAt = groupingAt + ':tag:'.length
const tagAt = tagLengthAt + '00:'.length

/** An SQL expression for the id of an account. */
type Account = RawBuilder<unknown>

export const isSessionAccount = (account: Account) =>
  sql<boolean>`substr(${account}, ${sql.lit(groupingAt)}, 9) = ':session:'`
export const isTagAccount = (account: Account) => sql<boolean>`substr(${account}, ${sql.lit(groupingAt)}, 5) = ':tag:'`

/** Whether an account is that of a session or tag value. */
export const isGroupAccount = (account: Account) =>
  sql<boolean>`(${account} like 'guardrail:%' and (${isSessionAccount(account)} or ${isTagAccount(account)}))`

/** The session of a session's account. */
export const sessionOf = (account: Account) => sql<string>`substr(${account}, ${sql.lit(sessionAt)})`

/** The name and the value of a tag's account. Empty for other accounts. */
export function tagOf(account: Account) {
  const length = sql`case when ${isTagAccount(account)} then cast(substr(${account}, ${sql.lit(tagLengthAt)}, 2) as integer) else 0 end`
  return {
    name: sql<string>`substr(${account}, ${sql.lit(tagAt)}, ${length})`,
    value: sql<string>`substr(${account}, ${sql.lit(tagAt + 1)} + ${length})`,
  }
}
