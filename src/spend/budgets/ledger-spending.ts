import type { PicoUsd } from '#platform/core/pico-usd.ts'
import type { Db } from '#platform/db/db.ts'
import { type Day, dayOf } from '../ledger/days.ts'
import { readGroupSpending } from '../ledger/spending/group-spending.ts'
import { chargedOf, readSpendingOf, type Spenders, type Spending } from '../ledger/spending/spending.ts'
import type { Budget, GroupSubject, GuardrailSubject, PersistentSubject } from './budget.ts'

type CountedBudget = Pick<Budget, 'includesByok'> & { subject: PersistentSubject }

/** Reads what a limit counts since a day from the ledger, for a limit that was set after money was spent. */
export async function readChargedSince(
  deps: { db: Pick<Db, 'query'> },
  budget: CountedBudget,
  sinceDay: Day,
): Promise<PicoUsd> {
  return chargedOf(await readLedgerSpending(deps, budget, sinceDay), budget.includesByok)
}

/**
 * Reads the spending of a limit's subject since a day from the ledger. Limits of guardrails and pooled budgets count from the
 * day of their creation at the earliest.
 */
export function readLedgerSpending(
  deps: { db: Pick<Db, 'query'> },
  { subject }: Pick<CountedBudget, 'subject'>,
  sinceDay: Day,
): Promise<Spending> {
  const createdDay = subject.kind === 'key' ? 0 : dayOf(subject.createdAt)
  const since = Math.max(sinceDay, createdDay)
  if (subject.kind !== 'group') return readSpendingOf(deps, spendersOf(subject), since)
  return readGroupSpending(deps, { ...subject, assignedTo: subject.isDefault ? undefined : subject.guardrailId }, since)
}

function spendersOf(subject: Exclude<PersistentSubject, GroupSubject>): Spenders {
  if (subject.kind === 'key') return { only: { keyHashes: [subject.hash] } }
  if (subject.kind === 'pool') {
    const { kind, id } = subject.pool
    return kind === 'workspace' ? { workspaceId: id } : { organizationId: id }
  }
  const { workspaceId, spender } = subject
  return { workspaceId, only: spender.kind === 'key' ? { keyHashes: [spender.hash] } : { userIds: [spender.userId] } }
}

/** Reads what the account counts that all members and keys of a guardrail share while an older server runs. */
export async function readChargedByGuardrail(
  deps: { db: Pick<Db, 'query'> },
  { guardrailId, workspaceId, createdAt, isDefault }: GuardrailSubject,
  includesByok: boolean,
  sinceDay: Day,
): Promise<PicoUsd> {
  const spenders = isDefault ? { workspaceId } : { workspaceId, only: await assignedSpenders(deps, guardrailId) }
  return chargedOf(await readSpendingOf(deps, spenders, Math.max(sinceDay, dayOf(createdAt))), includesByok)
}

async function assignedSpenders({ db }: { db: Pick<Db, 'query'> }, guardrailId: string) {
  const rows = await db.query
    .selectFrom('guardrail_assignments')
    .where('guardrail_id', '=', guardrailId)
    .select(['target_kind', 'target_id'])
    .execute()
  const idsOf = (kind: string) => rows.filter((row) => row.target_kind === kind).map((row) => row.target_id)
  return { keyHashes: idsOf('key'), userIds: idsOf('member') }
}
