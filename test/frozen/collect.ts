import { milestoneTypes } from '#interns/contract/transcript.ts'
import { Settings } from '#platform/config/settings.ts'
import { sql } from '#platform/db/kysely.ts'
import { migrations } from '#platform/db/migrate.ts'
import { webhookEvents } from '#webhooks/webhook.ts'
import openapi from '../../openapi.json' with { type: 'json' }
import { memoryDb } from '../harness/database/memory-db.ts'
import { startTestService } from '../harness/service/service.ts'

/** Names that stored data, running daemons, alerts or clients depend on. Each list is sorted. */
export type FrozenNames = Record<string, string[]>

export async function collectNames(): Promise<FrozenNames> {
  return {
    migrations: Object.keys(migrations),
    columns: await collectColumns(),
    settings: Object.keys(Settings.shape),
    operations: collectOperations(),
    webhookEvents: [...webhookEvents],
    milestones: [...milestoneTypes],
    metrics: await collectMetrics(),
  }
}

async function collectColumns(): Promise<string[]> {
  const db = await memoryDb()
  const { rows } = await sql<{ table: string; column: string }>`
    select m.name as "table", c.name as "column" from sqlite_master m, pragma_table_info(m.name) c
    where m.type = 'table' order by 1, 2`.execute(db.query)
  await db.close()
  return rows.map(({ table, column }) => `${table}.${column}`)
}

function collectOperations(): string[] {
  return Object.entries(openapi.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
}

async function collectMetrics(): Promise<string[]> {
  await using service = await startTestService()
  const { text } = await service.manage('GET', '/metrics')
  return [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name!)
}
