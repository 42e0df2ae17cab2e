import { type PicoUsd, toPicoUsd, toUsd } from '#platform/core/pico-usd.ts'
import type { Db, Tx } from '#platform/db/db.ts'
import { indexOfAnswer } from '../ledger/charge-fields.ts'
import { recordColumns, type StoredFacts } from '../ledger/record.ts'
import { exactText } from '../ledger/sums/exact.ts'
import { releaseFromBudgets } from './budget-correction.ts'
import type { ChargedRow, NewCharge } from './charged-row.ts'
import { markOverbilled } from './overbilled-endpoints.ts'
import { correctSums } from './sum-correction.ts'

/** The exact amounts before and after a correction. */
export type Correction = { before: ChargedRow; released: PicoUsd }

/**
 * Changes the charge of a request in one transaction: its row, the sums, the roll-ups, and the budgets that counted it.
 * @param computeCharge returns the new charge; undefined to leave it.
 * @returns undefined if nothing changed: the row is missing, or another server corrected it first.
 */
export async function correctCharge(
  db: Pick<Db, 'kind'>,
  tx: Tx,
  id: string,
  computeCharge: (row: ChargedRow) => NewCharge | undefined,
): Promise<Correction | undefined> {
  const before = await findCharge(tx, id)
  const after = before && before.margin > 0n ? computeCharge(before) : undefined
  if (!before || !after || (after.cost === before.cost && after.margin === before.margin)) return undefined
  const { numUpdatedRows } = await tx
    .updateTable('generations')
    .set({ cost_pico: after.cost, margin_pico: after.margin, record: JSON.stringify(correctedFacts(before, after)) })
    .where('id', '=', id)
    // Another server can correct the same row. It waits here, and then finds other amounts.
    .where('cost_pico', '=', before.cost)
    .where('margin_pico', '=', before.margin)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) return undefined
  await correctSums(db, tx, before, after)
  const released = before.cost + before.margin - after.cost - after.margin
  await releaseFromBudgets(tx, before, released)
  if (after.billed !== undefined && before.facts.endpoint_id)
    await markOverbilled(tx, before.facts.endpoint_id, { id, at: after.correction.at })
  return { before, released }
}

async function findCharge(tx: Tx, id: string): Promise<ChargedRow | undefined> {
  const row = await tx
    .selectFrom('generations')
    .where('id', '=', id)
    .select([...recordColumns, 'organization_id', 'rolled_up'])
    .select([exactText('cost_pico').as('cost'), exactText('margin_pico').as('margin')])
    .executeTakeFirst()
  if (!row) return undefined
  const { cost, margin, ...record } = row
  return { ...record, cost: BigInt(cost), margin: BigInt(margin), facts: JSON.parse(row.record) }
}

/** Returns the unconfirmed amount of the attempt that answered, which its provider can report later. */
export function unconfirmedOfAnswer({ facts, margin }: ChargedRow): PicoUsd {
  const attempts = facts.attempts ?? []
  const answeredIndex = indexOfAnswer(attempts, facts.endpoint_id)
  let otherAttempts = 0n
  for (const [index, { unconfirmed_usd = 0 }] of attempts.entries()) {
    if (index !== answeredIndex) otherAttempts += toPicoUsd(unconfirmed_usd)
  }
  return margin > otherAttempts ? margin - otherAttempts : 0n
}

function correctedFacts({ facts, margin }: ChargedRow, after: NewCharge): StoredFacts {
  const { cost, tokens, correction, billed } = after
  const attempts = facts.attempts ?? []
  const answeredIndex = indexOfAnswer(attempts, facts.endpoint_id)
  const isFullyConfirmed = after.margin <= 0n
  const corrected: StoredFacts = {
    ...facts,
    attempts: attempts.map((attempt, index) =>
      isFullyConfirmed || index === answeredIndex ? { ...attempt, unconfirmed_usd: undefined } : attempt,
    ),
    upstream_inference_cost: toUsd(cost),
    limit_cost: isFullyConfirmed ? undefined : toUsd(cost + after.margin),
    charged_budgets: isFullyConfirmed ? undefined : facts.charged_budgets,
    correction: {
      ...correction,
      unconfirmed_usd: toUsd(margin),
      billed_usd: billed === undefined ? undefined : toUsd(billed),
    },
  }
  if (tokens) {
    corrected.tokens_prompt = tokens.prompt
    corrected.tokens_completion = tokens.completion
    corrected.tokens_reasoning = tokens.reasoning
    corrected.tokens_cached = tokens.cached
    corrected.tokens_estimated = false
  }
  return corrected
}
