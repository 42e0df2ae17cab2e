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

/** A part of what is left, so that several servers can work at once and little lies idle at the end. */
const shareOfRest = 16n

/**
 * Takes a server's report and grants it more, as far as the limit goes: what was spent and what all servers hold never
 * exceed it together.
 * @param earlier what was spent before this budget was kept account of, asked once for each period.
 */
export async function exchange(
  db: Db,
  budget: Budget,
  report: Report,
  earlier: () => Promise<PicoUsd>,
): Promise<Granted> {
  // Asked outside the transaction, which may hold the only connection.
  const begun = (await spentIn(db, budget.id, report.period)) !== undefined
  const start = begun ? 0n : await earlier()
  return db.exclusively(`budget ${budget.id}`, async (tx) => {
    const before = (await readSpent(tx, budget.id, report.period)) ?? (await begin(tx, budget.id, report.period, start))
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

async function begin(tx: Tx, budget: string, period: number, spent: PicoUsd): Promise<PicoUsd> {
  await tx
    .insertInto('budget_periods')
    .values({ budget, period, spent_pico: keepable(spent) })
    .execute()
  return spent
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
async function chargeOtherIntervals(tx: Tx, budget: Budget, { period, now }: Report, spent: PicoUsd): Promise<void> {
  for (const other of new Set(periodsOfOthers(budget, now))) {
    if (other === period) continue
    const before = await readSpent(tx, budget.id, other)
    if (before !== undefined) await writeSpent(tx, budget.id, other, before + spent)
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
