import type { PicoUsd } from '#platform/core/pico-usd.ts'
import type { Db } from '#platform/db/db.ts'
import { dayOf } from '../ledger/days.ts'
import { chargedOf, type Spenders, spendingOf } from '../ledger/read.ts'
import type { Budget, LastingSubject } from './budget.ts'

/**
 * Reads the ledger for the spending that a budget counts since a day: for a limit that is set after money was spent.
 * A guardrail's limit and a pooled budget without an interval count from the day on which they were made.
 */
export async function spentBefore(
  deps: { db: Pick<Db, 'query'> },
  { subject, includesByok }: Pick<Budget, 'includesByok'> & { subject: LastingSubject },
  sinceDay: number,
): Promise<PicoUsd> {
  const made = subject.kind === 'key' ? 0 : dayOf(subject.createdAt)
  const spending = await spendingOf(deps, spendersOf(subject), Math.max(sinceDay, made))
  return chargedOf(spending, includesByok)
}

function spendersOf(subject: LastingSubject): Spenders {
  if (subject.kind === 'key') return { keyHashes: [subject.hash], userIds: [] }
  if (subject.kind === 'pool') {
    const { kind, id } = subject.pool
    return kind === 'workspace' ? { workspaceId: id } : { organizationId: id }
  }
  const { workspaceId, spender } = subject
  return spender.kind === 'key'
    ? { workspaceId, keyHashes: [spender.hash], userIds: [] }
    : { workspaceId, keyHashes: [], userIds: [spender.userId] }
}
