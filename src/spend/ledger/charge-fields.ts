import { isoTime } from '#platform/core/clock.ts'
import { toPicoUsd, toUsd } from '#platform/core/pico-usd.ts'

/**
 * A later change of a charge: the amount that was unconfirmed before, and the provider's bill if it is higher than the request
 * could cost.
 */
export type StoredCorrection = {
  source: 'provider' | 'released'
  /** In milliseconds since the epoch. */
  at: number
  unconfirmed_usd: number
  billed_usd?: number | undefined
}

type StoredAttempt = { endpoint_id: string; connect?: number; first_byte?: number; unconfirmed_usd?: number }

type ChargeFacts = {
  endpoint_id: string | null
  upstream_inference_cost: number
  limit_cost: number
  tokens_capped: boolean
  correction: StoredCorrection | null
}

/** Computes the fields of a record that are not stored. */
export function chargeFields({ upstream_inference_cost, limit_cost, tokens_capped, correction }: ChargeFacts) {
  return {
    /** The part of `limit_cost` that no provider has reported. */
    unconfirmed_usd: difference(limit_cost, upstream_inference_cost),
    /** Whether the provider billed or counted more than the request could use. */
    billed_more_than_bound: tokens_capped || correction?.billed_usd !== undefined,
    correction: correction && { billed_usd: null, ...correction, at: isoTime(correction.at) },
  }
}

/**
 * Returns each attempt with `charged_usd`, the amount that it added to what limits count, and `unconfirmed_usd`, the part of it that
 * no provider has reported. Both are null if an older version did not store the amounts.
 */
export function chargedAttempts<Attempt extends StoredAttempt>(
  attempts: readonly Attempt[],
  { endpoint_id: respondingEndpointId, upstream_inference_cost = 0, limit_cost = 0 }: Partial<ChargeFacts>,
) {
  const responseIndex = indexOfResponse(attempts, respondingEndpointId)
  const recordedSum = attempts.reduce((sum, { unconfirmed_usd = 0 }) => sum + toPicoUsd(unconfirmed_usd), 0n)
  // Older versions did not store the amounts of attempts.
  const isComplete = recordedSum === toPicoUsd(limit_cost) - toPicoUsd(upstream_inference_cost)
  const costOf = (index: number) => (index === responseIndex ? toPicoUsd(upstream_inference_cost) : 0n)
  return attempts.map(({ connect, first_byte, unconfirmed_usd = 0, ...attempt }, index) => ({
    ...attempt,
    charged_usd: isComplete ? toUsd(costOf(index) + toPicoUsd(unconfirmed_usd)) : null,
    unconfirmed_usd: isComplete ? unconfirmed_usd : null,
    // `connect` is not stored for an attempt on an open connection, which needed no time to connect.
    connect: connect ?? (first_byte === undefined ? null : 0),
    first_byte: first_byte ?? null,
  }))
}

/** Returns the index of the attempt that answered; -1 if none did. An endpoint can have been tried before. */
export const indexOfResponse = (
  attempts: readonly StoredAttempt[],
  respondingEndpointId: string | null | undefined,
): number => attempts.findLastIndex(({ endpoint_id }) => endpoint_id === respondingEndpointId)

/** The exact difference of two amounts in USD. */
const difference = (a: number, b: number) => (a === b ? 0 : toUsd(toPicoUsd(a) - toPicoUsd(b)))
