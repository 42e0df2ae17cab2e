import type { Db, Tx } from '#db/db.ts'
import { sql } from '#db/kysely.ts'
import { keepable, type PicoUsd } from '#lib/pico-usd.ts'
import { exactly } from '#usage/exact.ts'
import { type Budget, periodsOfOthers } from './budget.ts'

/** How long a server that says nothing keeps what it holds. After it the server is gone, and what it held returns. */
export const leaseMs = 30_000

/** What one server reports and asks for. */
export type Report = {
  server: string
  period: number
  /** Spent since the last report. */
  spent: PicoUsd
  /** What the server holds now, for requests under way and those that may come. */
  held: PicoUsd
  /** At least so much more; 0 to ask for nothing. */
  need: PicoUsd
  now: number
}

/** `free` is what nobody holds after the grant; `others` what other servers hold, of which some may return; `at` when. */
export type Granted = { granted: PicoUsd; spent: PicoUsd; free: PicoUsd; others: PicoUsd; at: number }

/**
 * The most a server may have spent of a limit without having reported it. When a server dies nobody can know how much
 * it was, so all of it counts as spent; the rest of what it held returns.
 */
export const exposureOf = (limit: PicoUsd): PicoUsd => limit / 100n

/** Nine million USD: a column holds little more. Above such limits a server just asks more often. */
const mostHeld = 9n * 10n ** 18n

/** What was spent of a budget before account was kept of it in a period. */
export type Earlier = {
  /** Once all that this server knows of is reported. */
  settled: () => Promise<void>
  /** What the ledger says. */
  spent: () => Promise<PicoUsd>
}

/** A part of what is left, so that several servers can work at once and little lies idle at the end. */
const shareOfRest = 16n

/**
 * Takes a server's report and grants it more, as far as the limit goes: what was spent and what all servers hold never
 * exceed it together.
 * @param earlier what was spent before this budget was kept account of, asked once for each period.
 */
export async function exchange(db: Db, budget: Budget, report: Report, earlier: Earlier): Promise<Granted> {
  // Asked outside the transaction, which may hold the only connection.
  const begun = (await spentIn(db, budget.id, report.period)) !== undefined
  const start = begun ? undefined : await startOf(db, budget, report, earlier)
  const granted = await db.exclusively(`budget ${budget.id}`, async (tx) => {
    const known = await readSpent(tx, budget.id, report.period)
    if (known === undefined && !start) return undefined
    const before = known ?? (await begin(tx, budget, report, start!))
    const { others, hidden } = await leasesOfOthers(tx, budget, report)
    const spent = before + report.spent + hidden
    if (spent !== before) {
      await writeSpent(tx, budget.id, report.period, spent)
      await chargeOtherIntervals(tx, budget, report, spent - before)
    }
    const free = smaller(budget.limit - spent - others, mostHeld) - report.held
    const granted = free >= report.need && report.need > 0n ? larger(report.need, free / shareOfRest) : 0n
    await writeLease(tx, budget, report, report.held + granted)
    return { granted, spent, free: free - granted, others, at: report.now }
  })
  // The account was forgotten in between, to begin anew with what the ledger says.
  return granted ?? exchange(db, budget, report, earlier)
}

/** What was spent in a period, as far as it was reported; undefined when nothing was kept account of. */
export async function spentIn(db: Pick<Db, 'query'>, budget: string, period: number): Promise<PicoUsd | undefined> {
  return readSpent(db.query, budget, period)
}

/** As if no account had been kept: the next request asks the ledger what was spent. */
export async function forgetSpending(tx: Tx, budget: string): Promise<void> {
  await tx.deleteFrom('budget_periods').where('budget', '=', budget).execute()
}

const smaller = (a: bigint, b: bigint) => (a < b ? a : b)
const larger = (a: bigint, b: bigint) => (a > b ? a : b)

const asText = (column: string) => exactly(sql.ref(column))

async function readSpent(query: Db['query'] | Tx, budget: string, period: number): Promise<PicoUsd | undefined> {
  const row = await query
    .selectFrom('budget_periods')
    .where('budget', '=', budget)
    .where('period', '=', period)
    .select(asText('spent_pico').as('spent'))
    .executeTakeFirst()
  return row && BigInt(row.spent)
}

/** What a period begins with, by the ledger, and what its accounts said of other intervals just before. */
type Start = { spent: PicoUsd; others: SpentByPeriod }
type SpentByPeriod = ReadonlyMap<number, PicoUsd>

async function startOf(db: Db, budget: Budget, report: Report, earlier: Earlier): Promise<Start> {
  await earlier.settled()
  const others = await spentUnderOthers(db.query, budget, report)
  return { spent: await earlier.spent(), others }
}

/**
 * What was reported under another interval since the ledger was asked may be in neither, and counts here too: rather
 * twice than not at all. And a period has spent no less than one within it.
 */
async function begin(tx: Tx, budget: Budget, report: Report, start: Start): Promise<PicoUsd> {
  let [meanwhile, within] = [0n, 0n]
  for (const [period, spent] of await spentUnderOthers(tx, budget, report)) {
    meanwhile = larger(meanwhile, spent - (start.others.get(period) ?? spent))
    if (period >= report.period) within = larger(within, spent)
  }
  const spent = larger(start.spent + meanwhile, within)
  await tx
    .insertInto('budget_periods')
    .values({ budget: budget.id, period: report.period, spent_pico: keepable(spent) })
    .execute()
  return spent
}

/** What was spent in the periods that run now under other intervals, as far as they were begun. */
async function spentUnderOthers(query: Db['query'] | Tx, budget: Budget, { now }: Report): Promise<SpentByPeriod> {
  const rows = await query
    .selectFrom('budget_periods')
    .where('budget', '=', budget.id)
    .where('period', 'in', [...new Set(periodsOfOthers(budget, now))])
    .select(['period', asText('spent_pico').as('spent')])
    .execute()
  return new Map(rows.map(({ period, spent }) => [period, BigInt(spent)]))
}

async function writeSpent(tx: Tx, budget: string, period: number, spent: PicoUsd): Promise<void> {
  await tx
    .updateTable('budget_periods')
    .set({ spent_pico: keepable(spent) })
    .where('budget', '=', budget)
    .where('period', '=', period)
    .execute()
}

/**
 * The interval may have been changed, here or unknown to this server, and may be changed back: what is spent counts in
 * every period that was begun and runs now.
 */
async function chargeOtherIntervals(tx: Tx, budget: Budget, report: Report, spent: PicoUsd): Promise<void> {
  for (const [period, before] of await spentUnderOthers(tx, budget, report)) {
    if (period !== report.period) await writeSpent(tx, budget.id, period, before + spent)
  }
}

/** A server holds money apart for each interval that a limit has had: requests may be under way from before a change. */
const holderOf = (server: string, { interval }: Budget) => `${server}${holds}${interval ?? 'never'}`
const holds = ' '

/**
 * What others hold, and what those may have spent that said nothing for too long and are taken for dead: their
 * leases end here.
 */
async function leasesOfOthers(
  tx: Tx,
  budget: Budget,
  { period, server, now }: Report,
): Promise<{ others: PicoUsd; hidden: PicoUsd }> {
  const { id, limit } = budget
  const leases = await tx
    .selectFrom('budget_leases')
    .where('budget', '=', id)
    .where('server', '!=', holderOf(server, budget))
    .select(['server', 'period', 'renewed_at', asText('held_pico').as('held')])
    .execute()
  let [others, hidden, ended] = [0n, 0n, false]
  for (const lease of leases) {
    const held = BigInt(lease.held)
    const [holder, interval] = lease.server.split(holds)
    const dead = lease.renewed_at < now - leaseMs && holder !== server
    ended ||= dead
    // Of its own interval it is a period that is over, and charged with what it holds.
    if (lease.period !== period && interval === (budget.interval ?? 'never')) continue
    if (dead) hidden += smaller(held, exposureOf(limit))
    else others += held
  }
  if (ended) {
    await tx
      .deleteFrom('budget_leases')
      .where('budget', '=', id)
      .where('server', 'not like', `${server}${holds}%`)
      .where('renewed_at', '<', now - leaseMs)
      .execute()
  }
  return { others, hidden }
}

async function writeLease(tx: Tx, budget: Budget, { period, now, ...report }: Report, held: PicoUsd): Promise<void> {
  const server = holderOf(report.server, budget)
  const key = { budget: budget.id, period, server }
  if (held === 0n) {
    await tx
      .deleteFrom('budget_leases')
      .where('budget', '=', budget.id)
      .where('period', '=', period)
      .where('server', '=', server)
      .execute()
    return
  }
  await tx
    .insertInto('budget_leases')
    .values({ ...key, held_pico: held, renewed_at: now })
    .onConflict((conflict) =>
      conflict.columns(['budget', 'period', 'server']).doUpdateSet({ held_pico: held, renewed_at: now }),
    )
    .execute()
}
