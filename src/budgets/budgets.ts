import type { DatabaseClock } from '#db/clock.ts'
import type { Db } from '#db/db.ts'
import type { Now } from '#lib/clock.ts'
import type { NewId } from '#lib/id.ts'
import type { PicoUsd } from '#lib/pico-usd.ts'
import { Account, type Outcome } from './account.ts'
import { type Budget, periodOf, resetsAt } from './budget.ts'
import { exchange, readyOf } from './store.ts'
import { KnownTime } from './time.ts'

/** Money set aside for one request, of every budget that counts it. */
export type Reservation = {
  /** Called once, when it is known what the request cost. Nothing is spent of budgets that do not count it. */
  settle: (cost: PicoUsd, counts: (budget: Budget) => boolean) => void
}

type Refused = { refusedBy: Budget; outcome: Exclude<Outcome, 'granted' | 'over'> }
export type Reserved = { reservation: Reservation } | Refused

type Held = { held: Open[] } | { over: true }

/**
 * Budgets over all servers of a database. What is spent and what is set aside never exceed a limit together; only a
 * request that costs more than it was set aside for can.
 */
export type Budgets = {
  /** Sets `need` aside of each budget, or of none. @throws what the database throws: then nothing may be spent. */
  reserve: (budgets: readonly Budget[], need: PicoUsd) => Reserved | Promise<Reserved>
  /** Reports what was spent; what is idle is given back. */
  report: () => Promise<void>
  close: () => Promise<void>
}

/** Does some work again and again. @returns the way to end that. */
export type Every = (ms: number, work: () => void) => () => void

type Deps = {
  db: Db
  /** The clock of the database, by which periods begin and end. */
  clock: DatabaseClock
  /** This server's own, until the database was heard. */
  now: Now
  newId: NewId
  /** What a budget's subjects have spent since a day, before anybody kept account of it. */
  spentEarlier: (budget: Budget, sinceDay: number) => Promise<PicoUsd>
  onError: (error: Error) => void
  every?: Every
}

type Rhythm = { waitMs?: number; pollMs?: number; reportMs?: number; idleMs?: number }

/** How often a request is set aside anew because the period ended meanwhile, or this server's clock was ahead. */
const mostTries = 10

type Open = { account: Account; budget: Budget; closed: boolean }

const everyUnref: Every = (ms, work) => {
  const timer = setInterval(work, ms).unref()
  return () => clearInterval(timer)
}

export function openBudgets(
  { every = everyUnref, ...deps }: Deps,
  { waitMs = 5000, pollMs = 50, reportMs = 500, idleMs = 1000 }: Rhythm = {},
): Budgets {
  const server = deps.newId()
  const time = new KnownTime(deps.clock, deps.now)
  const accounts = new Map<string, Open>()

  /** One and the same budget has one and the same account until its period ends. */
  const recent = new WeakMap<Budget, { open: Open; since: number; until: number }>()

  function accountOf(budget: Budget, at: number): Open {
    const known = recent.get(budget)
    if (known?.open.budget === budget && !known.open.closed && at >= known.since && at < known.until) return known.open
    const open = findAccount(budget, at)
    recent.set(budget, { open, since: at, until: endOf(budget, at) })
    return open
  }

  function findAccount(budget: Budget, at: number): Open {
    const period = periodOf(budget, at)
    const key = `${budget.id} ${budget.interval} ${period}`
    const known = accounts.get(key)
    if (known) {
      // Also back and forth, while requests that came before a change are under way.
      if (budget.limit < known.budget.limit) known.account.revoke()
      known.budget = budget
      return known
    }
    const open: Open = {
      budget,
      closed: false,
      account: new Account({
        async exchange(report, limit) {
          const asking = { ...open.budget, limit }
          const earlier = { settled: () => reportOlder(open), spent: () => deps.spentEarlier(asking, period) }
          const askedAt = time.elapsed()
          const answer = await exchange(deps, asking, { server, period, ...report }, earlier)
          time.heard(answer.at, askedAt)
          return answer
        },
        waitMs,
        elapsed: time.elapsed,
      }),
    }
    accounts.set(key, open)
    return open
  }

  /**
   * What was spent under another interval is in the ledger, which a new period begins with: said afterwards, it would
   * count twice. Only of accounts opened before, so that no two wait for each other.
   */
  async function reportOlder(newer: Open): Promise<void> {
    for (const open of accounts.values()) {
      if (open === newer) return
      if (open.budget.id === newer.budget.id) await open.account.report(false, 0n)
    }
  }

  /** Sets aside what is at hand of each, or nothing. */
  function takeAll(opened: Open[], at: number, need: PicoUsd): boolean {
    let taken = 0
    for (const { account } of opened) {
      account.usedAt = at
      if (!account.take(need)) break
      taken++
    }
    if (taken === opened.length) return true
    giveBack(opened.slice(0, taken), need)
    return false
  }

  function giveBack(opened: Open[], need: PicoUsd): void {
    for (const { account } of opened) account.settle(need, 0n)
  }

  function reservation(opened: Open[], need: PicoUsd): Reservation {
    return {
      settle(cost, counts) {
        for (const { account, budget } of opened) account.settle(need, counts(budget) ? cost : 0n)
      },
    }
  }

  /** A period may end while others are waited for: then all is set aside anew. */
  async function reserveSlowly(budgets: readonly Budget[], need: PicoUsd): Promise<Reserved> {
    for (let tries = 0; tries < mostTries; tries++) {
      const at = time.now()
      const reserved = await reserveEach(budgets, at, need)
      if ('refusedBy' in reserved) return reserved
      if ('over' in reserved) continue
      const now = time.now()
      if (budgets.every((budget) => endOf(budget, at) > now)) return { reservation: reservation(reserved.held, need) }
      giveBack(reserved.held, need)
    }
    throw new Error('This server and the database do not agree on the time.')
  }

  /** An account is looked up just before it is asked: one that lies idle meanwhile may be closed. */
  async function reserveEach(budgets: readonly Budget[], at: number, need: PicoUsd): Promise<Refused | Held> {
    const held: Open[] = []
    try {
      for (const budget of budgets) {
        const open = accountOf(budget, at)
        const reserving = open.account.reserve(need, budget.limit)
        keepPolling()
        const outcome = await reserving
        if (outcome !== 'granted') {
          giveBack(held, need)
          return outcome === 'over' ? { over: true } : { refusedBy: open.budget, outcome }
        }
        held.push(open)
      }
      return { held }
    } catch (error) {
      giveBack(held, need)
      throw error
    }
  }

  const tell = (error: unknown) => deps.onError(error as Error)

  async function reportAll(): Promise<void> {
    const at = time.now()
    for (const [key, open] of accounts) {
      const { account, budget } = open
      if (account.isIdle) {
        open.closed = true
        accounts.delete(key)
      } else await account.report(at - account.usedAt < idleMs, readyOf(budget.limit)).catch(tell)
    }
  }
  let underway: Promise<void> | undefined
  const report = () => {
    underway ??= reportAll().finally(() => {
      underway = undefined
    })
    return underway
  }

  function poll(account: Account): void {
    account.giveUpStalled()
    account.serve().catch((error) => {
      account.giveUp(error)
      tell(error)
    })
  }
  let endPolling: (() => void) | undefined
  /** As long as somebody waits: a server with nothing to do should sleep. */
  function keepPolling(): void {
    endPolling ??= every(pollMs, () => {
      const waited = [...accounts.values()].filter(({ account }) => account.isWaited)
      for (const { account } of waited) poll(account)
      if (waited.length > 0) return
      endPolling?.()
      endPolling = undefined
    })
  }
  const endReporting = every(reportMs, () => void report())

  return {
    reserve(budgets, need) {
      const at = time.now()
      const opened = budgets.map((budget) => accountOf(budget, at))
      if (takeAll(opened, at, need)) return { reservation: reservation(opened, need) }
      return reserveSlowly(budgets, need)
    },
    report,
    async close() {
      endPolling?.()
      endReporting()
      await underway
      for (const { account } of accounts.values()) await account.close().catch(tell)
    },
  }
}

const endOf = (budget: Budget, at: number) => resetsAt(budget, at) ?? Number.POSITIVE_INFINITY
