import { maxPico, minPico, type PicoUsd } from '#platform/core/pico-usd.ts'

/** The maximum leased money of a server: nine million USD, near the maximum of a column. */
const maxHeld = 9n * 10n ** 18n

/** Limits a grant to 1/16 of the free money, so that other servers get some, and little is idle near the limit. */
const grantDivisor = 16n

/** The maximum amount that a server keeps available for later requests. It stays charged if the server is killed. */
export const standbyAmount = (limit: PicoUsd): PicoUsd => limit / 100n

type GrantRequest = {
  limit: PicoUsd
  /** The money that is spent, or leased by other servers. */
  taken: PicoUsd
  /** The money that the server holds already. */
  held: PicoUsd
  /** The minimum amount to grant; 0 for none. */
  need: PicoUsd
  /** The amount for all waiting requests. */
  totalNeed: PicoUsd
}

/** Returns the amount to grant, 0 if less than needed is free, and the amount that is free after it. */
export function computeGrant({ limit, taken, held, need, totalNeed }: GrantRequest) {
  const free = minPico(limit - taken, maxHeld) - held
  if (need === 0n || free < need) return { granted: 0n, free }
  const forLaterRequests = minPico(free / grantDivisor, maxPico(totalNeed, standbyAmount(limit)))
  const granted = maxPico(need, forLaterRequests)
  return { granted, free: free - granted }
}
