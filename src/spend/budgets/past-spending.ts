import type { PicoUsd } from '#platform/core/pico-usd.ts'
import type { Db } from '#platform/db/db.ts'
import { dayOf } from '../ledger/days.ts'
import { chargedOf, type Spenders, spendingOf } from '../ledger/read.ts'
import type { Budget, LastingSubject } from './budget.ts'

/**
 * Reads the ledger for the spending of a budget's subjects since a day: for a limit that is set after money was spent.
 * A guardrail without an interval counts from the day on which it was made.
 */
export async function spentBefore(
  deps: { db: Pick<Db, 'query'> },
  { subject, includesByok }: Pick<Budget, 'includesByok'> & { subject: LastingSubject },
  sinceDay: number,
): Promise<PicoUsd> {
  const made = subject.kind === 'guardrail' ? dayOf(subject.createdAt) : 0
  const spending = await spendingOf(deps, await spendersOf(deps, subject), Math.max(sinceDay, made))
  return chargedOf(spending, includesByok)
}

async function spendersOf(deps: { db: Pick<Db, 'query'> }, subject: LastingSubject): Promise<Spenders> {
  if (subject.kind === 'key') return { keyHashes: [subject.hash], userIds: [] }
  const workspace = await deps.db.query
    .selectFrom('workspaces')
    .where('default_guardrail_id', '=', subject.id)
    .select('id')
    .executeTakeFirst()
  if (workspace) return { workspaceId: workspace.id }
  const assigned = await deps.db.query
    .selectFrom('guardrail_assignments')
    .where('guardrail_id', '=', subject.id)
    .select(['target_kind', 'target_id'])
    .execute()
  const of = (kind: string) =>
    assigned.filter(({ target_kind }) => target_kind === kind).map(({ target_id }) => target_id)
  return { workspaceId: subject.workspaceId, keyHashes: of('key'), userIds: of('member') }
}
