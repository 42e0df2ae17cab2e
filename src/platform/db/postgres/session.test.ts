import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newDb } from '#test/harness/database/databases.ts'
import { sql } from '../kysely.ts'
import type { Connection } from './connection.ts'
import { applySession, sessionSettings, sessionWithoutTimeouts } from './session.ts'

const skip = process.env.TEST_DATABASE_URL ? false : 'TEST_DATABASE_URL is not set'

const limits = {
  database_statement_timeout_ms: 1,
  database_lock_timeout_ms: 2,
  database_idle_transaction_timeout_ms: 3,
  database_keepalive_ms: 9000,
}
const probes = {
  tcp_keepalives_idle: 9,
  tcp_keepalives_interval: 5,
  tcp_keepalives_count: 3,
  tcp_user_timeout: 22_500,
}

test('a session has the configured timeouts, and keepalive at both sides', () => {
  const times = { statement_timeout: 1, lock_timeout: 2, idle_in_transaction_session_timeout: 3 }
  assert.deepEqual(sessionSettings(limits), { ...times, ...probes })
  const { tcp_keepalives_idle, tcp_keepalives_interval } = sessionSettings({ ...limits, database_keepalive_ms: 100 })
  assert.deepEqual([tcp_keepalives_idle, tcp_keepalives_interval], [1, 1])
})

test('a migration has no times to keep, but is asked whether it lives', () => {
  const times = { statement_timeout: 0, lock_timeout: 0, idle_in_transaction_session_timeout: 0 }
  assert.deepEqual(sessionWithoutTimeouts(limits), { ...times, ...probes })
})

test('settings of TCP that Postgres ignores are reported, except for Unix sockets', async () => {
  const ignoreTcp = (isSocket: boolean) =>
    ({
      isSocket,
      query: async (_: string, [json]: [string]) => ({
        rows: Object.entries(JSON.parse(json)).map(([name, value]) => ({
          name,
          value: name.startsWith('tcp_') ? '0' : String(value),
        })),
      }),
    }) as unknown as Connection
  assert.deepEqual(await applySession(ignoreTcp(false), sessionSettings(limits)), Object.keys(probes))
  assert.deepEqual(await applySession(ignoreTcp(true), sessionSettings(limits)), [])
})

test('the defaults are sound', { skip }, async () => {
  await using store = await newDb('postgres')
  const { rows } = await sql<{ name: string; setting: string }>`
    select name, setting from pg_settings where name like '%timeout' or name like 'tcp%'`.execute(store.db.query)
  const set = new Map(rows.map(({ name, setting }) => [name, Number(setting)]))
  for (const name of Object.keys(sessionSettings(limits))) assert.ok(set.get(name)! > 0, `${name} is ${set.get(name)}`)
})
