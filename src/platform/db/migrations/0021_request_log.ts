import type { Kysely, RawBuilder } from 'kysely'
import { sql } from '../kysely.ts'
import { jsonTextReader } from './portable.ts'

/**
 * Columns for searching the request log, copied from the record. Only rare values are indexed, so that other rows cost
 * nothing.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const table = () => db.schema.alterTable('generations')
  await table()
    .addColumn('outcome', 'text', (c) => c.notNull().defaultTo('success'))
    .execute()
  for (const name of ['provider', 'preset', 'error', 'guardrails']) await table().addColumn(name, 'text').execute()
  await table()
    .addColumn('streamed', 'integer', (c) => c.notNull().defaultTo(0))
    .execute()
  await table().addColumn('latency_ms', 'bigint').execute()
  await table()
    .addColumn('duration_ms', 'bigint', (c) => c.notNull().defaultTo(0))
    .execute()
  const textAt = jsonTextReader(db)
  const whole = (text: RawBuilder<unknown>) => sql`cast(round(cast(${text} as double precision)) as bigint)`
  await sql`update generations set
    outcome = coalesce(${textAt('record', 'outcome')}, 'success'),
    provider = ${textAt('record', 'provider_name')},
    preset = ${textAt('record', 'preset', 'slug')},
    error = ${textAt('record', 'error', 'kind')},
    guardrails = ${textAt('record', 'error', 'guardrail_id')},
    streamed = case when ${textAt('record', 'streamed')} in ('1', 'true') then 1 else 0 end,
    latency_ms = ${whole(textAt('record', 'latency'))},
    duration_ms = coalesce(${whole(textAt('record', 'generation_time'))}, 0)`.execute(db)
  const index = (name: string) => db.schema.createIndex(`generations_by_${name}`).on('generations')
  await index('workspace').columns(['workspace_id', 'created_at']).execute()
  await index('key').columns(['key_hash', 'created_at']).execute()
  const rare = index('session').columns(['session_id', 'created_at', 'id'])
  await rare.where(sql.ref('session_id'), 'is not', null).execute()
  const newest = ['created_at', 'id']
  await index('failure').columns(newest).where(sql.ref('outcome'), '<>', sql.lit('success')).execute()
  await index('guardrail').columns(newest).where(sql.ref('guardrails'), 'is not', null).execute()
}
