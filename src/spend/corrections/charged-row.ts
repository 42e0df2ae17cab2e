import { type PicoUsd, toPicoUsd } from '#platform/core/pico-usd.ts'
import type { Tx } from '#platform/db/db.ts'
import { indexOfResponse } from '../ledger/charge-fields.ts'
import { type RecordRow, recordColumns, type StoredFacts } from '../ledger/record.ts'
import { exactText } from '../ledger/sums/exact.ts'

/** A row of the ledger with its exact amounts. */
export type ChargedRow = RecordRow & {
  organization_id: string
  cost: PicoUsd
  margin: PicoUsd
  rolled_up: number
  facts: StoredFacts
}

/** The tokens that a provider reported later. */
type LateTokens = { prompt: number; completion: number; reasoning: number; cached: number }

/** The new amounts of a charge. Their sum is at most the old sum. */
export type NewCharge = {
  cost: PicoUsd
  margin: PicoUsd
  tokens?: LateTokens | undefined
  /** The reason and the time, as the record shows them. */
  correction: { source: 'provider' | 'released'; at: number }
  /** The amount that the provider billed, if it is more than the request could cost. */
  overbilledAmount?: PicoUsd | undefined
}

/** Finds a request whose charge has an unconfirmed amount, which only such a charge can lose. */
export async function findUnconfirmedCharge(tx: Tx, id: string): Promise<ChargedRow | undefined> {
  const row = await tx
    .selectFrom('generations')
    .where('id', '=', id)
    .select([...recordColumns, 'organization_id', 'rolled_up'])
    .select([exactText('cost_pico').as('cost'), exactText('margin_pico').as('margin')])
    .executeTakeFirst()
  if (!row) return undefined
  const { cost, margin, ...record } = row
  const charge = { ...record, cost: BigInt(cost), margin: BigInt(margin), facts: JSON.parse(row.record) as StoredFacts }
  return charge.margin > 0n ? charge : undefined
}

/** Returns the unconfirmed amount of the attempt that answered, which its provider can report later. */
export function unconfirmedAmountOfResponse({ facts, margin }: ChargedRow): PicoUsd {
  const attempts = facts.attempts ?? []
  const responseIndex = indexOfResponse(attempts, facts.endpoint_id)
  let otherAttempts = 0n
  for (const [index, { unconfirmed_usd = 0 }] of attempts.entries()) {
    if (index !== responseIndex) otherAttempts += toPicoUsd(unconfirmed_usd)
  }
  return margin > otherAttempts ? margin - otherAttempts : 0n
}
