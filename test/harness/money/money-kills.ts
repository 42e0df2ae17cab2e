import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from '#platform/db/kysely.ts'
import { openDb } from '#platform/db/open.ts'
import type { TestStore } from '../database/databases.ts'
import type { ServerProcess } from '../service/server-process.ts'

/** Ends a server with SIGKILL, at any point of its work. */
export async function killServer(server: ServerProcess): Promise<void> {
  server.signal('SIGKILL')
  await server.ended
}

async function withDb<Result>(
  { settings }: TestStore,
  work: (db: Awaited<ReturnType<typeof openDb>>) => Promise<Result>,
) {
  // Some servers have their data in a subfolder.
  const within = join(settings.data_dir, 'data')
  const data_dir = existsSync(within) ? within : settings.data_dir
  const db = await openDb({ ...settings, data_dir })
  return work(db).finally(() => db.close())
}

/** Simulates that the killed servers have been silent for long enough to count as dead. */
export function expireLeases(testStore: TestStore): Promise<void> {
  return withDb(
    testStore,
    async (db) => void (await db.query.updateTable('budget_leases').set({ renewed_at: 1 }).execute()),
  )
}

const usd = (pico: string) => Number(pico) / 1e12

/** The total of a limit's account, and the reservations of servers, in USD. */
export function readAccount(testStore: TestStore, budget: string): Promise<{ spent: number; held: number }> {
  return withDb(testStore, async (db) => {
    const sum = async (table: string, column: string) => {
      const { rows } = await sql<{ pico: string }>`
        select cast(coalesce(sum(${sql.ref(column)}), 0) as text) as pico
          from ${sql.table(table)} where budget = ${budget}`.execute(db.query)
      return usd(rows[0]!.pico)
    }
    return { spent: await sum('budget_periods', 'spent_pico'), held: await sum('budget_leases', 'held_pico') }
  })
}

/** The sum in the ledger, as charged to limits. */
export function ledgerUsd(testStore: TestStore): Promise<number> {
  return withDb(testStore, async (db) => {
    const { rows } = await sql<{ pico: string }>`
      select cast(coalesce(sum(cost_pico + margin_pico), 0) as text) as pico from generations`.execute(db.query)
    return usd(rows[0]!.pico)
  })
}
