import { type PicoUsd, toUsd } from '#platform/core/pico-usd.ts'
import type { Db, Tx } from '#platform/db/db.ts'
import { lockOpenings } from '../budgets/leases/opening-lock.ts'
import { indexOfResponse } from '../ledger/charge-fields.ts'
import type { StoredFacts } from '../ledger/record.ts'
import { releaseFromBudgets } from './budget-correction.ts'
import type { ChargedRow, NewCharge } from './charged-row.ts'
import { markOverbilled } from './overbilled-endpoints.ts'
import { type Correction, correctSums } from './sum-correction.ts'

/**
 * Changes the charge of a request in one transaction: its row, the sums, the roll-ups, and the budgets that counted it.
 * @returns the amount that the budgets got back; undefined if nothing changed, or if another server corrected the charge first.
 */
export async function correctCharge(
  db: Pick<Db, 'kind'>,
  tx: Tx,
  before: ChargedRow,
  after: NewCharge,
): Promise<PicoUsd | undefined> {
  return (await correctCharges(db, tx, [{ before, after }])).get(before.id)
}

/**
 * Changes the charges of several requests like `correctCharge`.
 * @returns the amounts that the budgets got back, by the ids of the requests that have changed.
 */
export async function correctCharges(
  db: Pick<Db, 'kind'>,
  tx: Tx,
  corrections: readonly Correction[],
): Promise<Map<string, PicoUsd>> {
  const changed: Correction[] = []
  await lockOpenings(db, tx, 'correct')
  for (const correction of corrections) if (await correctRow(tx, correction)) changed.push(correction)
  await correctSums(db, tx, changed)
  const releasedAmounts = new Map<string, PicoUsd>()
  for (const { before, after } of changed) {
    const released = before.cost + before.margin - after.cost - after.margin
    releasedAmounts.set(before.id, released)
    if (after.overbilledAmount !== undefined && before.facts.endpoint_id)
      await markOverbilled(tx, before.facts.endpoint_id, { id: before.id, at: after.correction.at })
  }
  await releaseFromBudgets(
    tx,
    changed.map(({ before }) => ({ row: before, amount: releasedAmounts.get(before.id) ?? 0n })),
  )
  return releasedAmounts
}

/** @returns whether the row has changed. */
async function correctRow(tx: Tx, { before, after }: Correction): Promise<boolean> {
  if (after.cost === before.cost && after.margin === before.margin) return false
  const { numUpdatedRows } = await tx
    .updateTable('generations')
    .set({ cost_pico: after.cost, margin_pico: after.margin, record: JSON.stringify(correctFacts(before, after)) })
    .where('id', '=', before.id)
    // Another server can correct the same row. That server waits for this transaction, and then finds the corrected amounts.
    .where('cost_pico', '=', before.cost)
    .where('margin_pico', '=', before.margin)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

function correctFacts(before: ChargedRow, after: NewCharge): StoredFacts {
  const { facts } = before
  const { cost, margin, correction, overbilledAmount } = after
  return {
    ...facts,
    ...toTokenFacts(after),
    attempts: confirmAttempts(facts, margin),
    upstream_inference_cost: toUsd(cost),
    limit_cost: margin > 0n ? toUsd(cost + margin) : undefined,
    charged_budgets: margin > 0n ? facts.charged_budgets : undefined,
    correction: {
      ...correction,
      unconfirmed_usd: toUsd(before.margin),
      billed_usd: overbilledAmount === undefined ? undefined : toUsd(overbilledAmount),
    },
  }
}

function toTokenFacts({ tokens }: NewCharge): StoredFacts {
  if (!tokens) return {}
  return {
    tokens_prompt: tokens.prompt,
    tokens_completion: tokens.completion,
    tokens_reasoning: tokens.reasoning,
    tokens_cached: tokens.cached,
    tokens_estimated: false,
  }
}

/**
 * Removes `unconfirmed_usd` from attempts: from all of them if no margin remains, otherwise only from the attempt that produced
 * the response.
 */
function confirmAttempts(facts: StoredFacts, margin: PicoUsd): StoredFacts['attempts'] {
  const attempts = facts.attempts ?? []
  const responseIndex = indexOfResponse(attempts, facts.endpoint_id)
  return attempts.map((attempt, index) =>
    margin <= 0n || index === responseIndex ? { ...attempt, unconfirmed_usd: undefined } : attempt,
  )
}
