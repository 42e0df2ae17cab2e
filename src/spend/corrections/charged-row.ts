import type { PicoUsd } from '#platform/core/pico-usd.ts'
import type { RecordRow, StoredFacts } from '../ledger/record.ts'

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
  billed?: PicoUsd | undefined
}
