import { dayMs } from '#platform/core/clock.ts'
import type { PicoUsd } from '#platform/core/pico-usd.ts'
import type { Budget, Period } from '../budget.ts'
import type { Lease } from '../rows/lease-rows.ts'
import type { StoredBudget } from '../rows/stored-budget.ts'

/**
 * A server without a report for this time counts as dead. Until then, it can return its leased money.
 */
export const leaseMs = 30_000

/**
 * A server without a report for this time is disconnected or overloaded, and requests do not wait for its money. Servers
 * report twice a second.
 */
export const unresponsiveMs = 4000

/** Returns the holder of a lease. A server has one lease per interval, because requests in flight can have the old one. */
export const leaseHolder = (server: string, budget: Pick<Budget, 'interval'>) => server + holderSuffix(budget)

const holderSuffix = ({ interval }: Pick<Budget, 'interval'>) => ` ${interval ?? 'never'}`

/** The leased money of a budget, by the state of its servers. */
export type LeasedAmounts = {
  /** Leased by servers that report. Some of it may be returned soon. */
  held: PicoUsd
  /** Leased by servers that have not reported for some seconds. It may be returned later. */
  unresponsive: PicoUsd
  /** Leased by servers that count as dead. It counts as spent until they report. */
  unaccounted: PicoUsd
}

/** Sums the leases of a budget in a period. @param ownLease the lease of the asking server, which is skipped. */
export function sumLeases(
  budget: Pick<Budget, 'interval'>,
  period: Period,
  { at, leases }: Pick<StoredBudget, 'at' | 'leases'>,
  ownLease?: Lease,
): LeasedAmounts {
  const leased = { held: 0n, unresponsive: 0n, unaccounted: 0n }
  for (const lease of leases) {
    if (lease === ownLease || !countsInPeriod(budget, period, lease, at)) continue
    leased[stateOf(lease, at)] += lease.held
  }
  return leased
}

function stateOf(lease: Lease, at: number): keyof LeasedAmounts {
  if (isExpired(lease, at)) return 'unaccounted'
  return lease.renewedAt < at - unresponsiveMs ? 'unresponsive' : 'held'
}

const isExpired = ({ renewedAt }: Lease, at: number) => renewedAt < at - leaseMs

/** Whether a lease counts in a period. A lease of another interval counts in the periods that it overlaps. */
function countsInPeriod(budget: Pick<Budget, 'interval'>, period: Period, lease: Lease, at: number): boolean {
  if (lease.holder.endsWith(holderSuffix(budget))) return lease.period === period
  return !isExpired(lease, at) || lease.renewedAt + leaseMs >= period * dayMs
}
