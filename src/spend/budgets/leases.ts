import type { PicoUsd } from '#platform/core/pico-usd.ts'
import type { Budget } from './budget.ts'
import type { Lease, StoredBudget } from './rows.ts'

/**
 * A server without a report for this time counts as dead. Until then, the money that it holds can return.
 */
export const leaseMs = 30_000

/**
 * A server without a report for this time is cut off or overloaded, and requests do not wait for its money. Servers
 * report twice a second.
 */
export const silentMs = 4000

const dayMs = 86_400_000
/** Separates the server and the interval in the name of a holder. */
const separator = ' '

/** A server has one lease for each interval of a limit, because requests in flight can predate a change. */
export const leaseHolder = (server: string, { interval }: Pick<Budget, 'interval'>) =>
  `${server}${separator}${interval ?? 'never'}`

/** The money that leases take from a budget. */
export type Leased = {
  /** Held by servers that still report: some of it may return soon. */
  held: PicoUsd
  /** Held by servers that have not reported for some seconds: it may return, but not soon. */
  silent: PicoUsd
  /** Held by servers that no longer report: all of it counts as spent until they account for it. */
  charged: PicoUsd
}

/** Sums the leases of a budget. @param mine the lease that is skipped. */
export function leasedOf(
  budget: Pick<Budget, 'interval'>,
  period: number,
  { at, leases }: Pick<StoredBudget, 'at' | 'leases'>,
  mine?: Lease,
): Leased {
  const leased = { held: 0n, silent: 0n, charged: 0n }
  for (const lease of leases) {
    if (lease === mine || !countsIn(budget, period, lease, at)) continue
    leased[stateOf(lease, at)] += lease.held
  }
  return leased
}

const stateOf = ({ renewedAt }: Lease, at: number): keyof Leased =>
  renewedAt < at - leaseMs ? 'charged' : renewedAt < at - silentMs ? 'silent' : 'held'

const isExpired = ({ renewedAt }: Lease, at: number) => renewedAt < at - leaseMs

/** Whether a lease counts in a period. A lease of another interval counts in the periods that it overlaps. */
function countsIn(budget: Pick<Budget, 'interval'>, period: number, lease: Lease, at: number): boolean {
  const ofThisInterval = lease.server === leaseHolder(lease.server.split(separator)[0]!, budget)
  if (ofThisInterval) return lease.period === period
  return !isExpired(lease, at) || lease.renewedAt + leaseMs >= period * dayMs
}
