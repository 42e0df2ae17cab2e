import type { PicoUsd } from '#platform/core/pico-usd.ts'
import type { Db } from '#platform/db/db.ts'
import { dayOf } from '../ledger/days.ts'
import { chargedOf, type Spenders, spendingOf } from '../ledger/read.ts'
import type { Budget, LastingSubject } from './budget.ts'

/**
 * Reads the spending of a budget since a day from the ledger, for a limit that was set after money was spent. Limits of
 * guardrails and pooled budgets count from the day of their creation at the earliest.
 */
export async function spentBefore(
  deps: { db: Pick<Db, 'query'> },
  { subject, includesByok }: Pick<Budget, 'includesByok'> & { subject: LastingSubject },
  sinceDay: number,
): Promise<PicoUsd> {
  const createdDay = subject.kind === 'key' ? 0 : dayOf(subject.createdAt)
  const spending = await spendingOf(deps, spendersOf(subject), Math.max(sinceDay, createdDay))
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
