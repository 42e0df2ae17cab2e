import type { PicoUsd } from '#platform/core/pico-usd.ts'
import type { Budget } from './budget.ts'
import type { Lease, StoredBudget } from './rows.ts'

/**
 * A server that has not reported for this time is taken to be dead. Until then, the money that it holds may return at
 * any moment.
 */
export const leaseMs = 30_000

/**
 * A server that has not reported for this time is cut off or overloaded: nobody waits for its money to return. Servers
 * report twice a second.
 */
export const silentMs = 4000

const dayMs = 86_400_000
/** Stands between the server and the interval in the name of a holder. */
const separator = ' '

/** A server holds money apart for each interval that a limit has had: requests may be under way from before a change. */
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

/** @param mine the lease that is left out. */
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

/** A period is charged with what was set aside in it. Under another interval that may be a running one. */
function countsIn(budget: Pick<Budget, 'interval'>, period: number, lease: Lease, at: number): boolean {
  const ofThisInterval = lease.server === leaseHolder(lease.server.split(separator)[0]!, budget)
  if (ofThisInterval) return lease.period === period
  return !isExpired(lease, at) || lease.renewedAt + leaseMs >= period * dayMs
}
