import assert from 'node:assert/strict'
import { copyFileSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { sql } from '#platform/db/kysely.ts'
import { copiedTables, processTables } from '#platform/db/maintenance/copy.ts'
import { openDb } from '#platform/db/open.ts'
import { newEmptyTestStore, type TestStore } from '#test/harness/database/databases.ts'
import { startTestService, type TestService } from '#test/harness/service/service.ts'
import { runCli } from '../cli.ts'

const needsPostgres = { skip: process.env.TEST_DATABASE_URL ? false : 'TEST_DATABASE_URL is not set' }

async function run(settings: TestStore['settings'], ...args: string[]) {
  const out: string[] = []
  const err: string[] = []
  const code = await runCli(['database', ...args], {
    env: { DATA_DIR: settings.data_dir, DATABASE_URL: settings.database_url },
    out: (text) => void out.push(text),
    err: (text) => void err.push(text),
  })
  return { code, out: out.join('\n'), err: err.join('\n') }
}

/** One object of every kind that a management key can see. */
async function use(service: TestService): Promise<void> {
  const email = 'ada@example.com'
  const { body: ada } = await service.manage('POST', '/organization/members', { email, name: 'Ada “Ünïcode” \\ 😀' })
  await service.manage('POST', '/keys', { name: 'laptop', creator_user_id: ada.data.id, limit: 12.34 })
  const { body: guardrail } = await service.manage('POST', '/guardrails', { name: 'frugal', limit_usd: 5 })
  const who = { member_user_ids: [ada.data.id] }
  await service.manage('POST', `/guardrails/${guardrail.data.id}/assignments/members`, who)
  const preset = { model: 'signalbox/demo', input: 'x', instructions: 'Be\nbrief.' }
  await service.ask('POST', '/presets/support/responses', { body: preset })
  await service.ask('POST', '/interns', { body: { name: 'ada' } })
  const messages = [{ role: 'user', content: 'Hello' }]
  for (let i = 0; i < 3; i++) {
    const { status } = await service.ask('POST', '/chat/completions', { body: { model: 'signalbox/demo', messages } })
    assert.equal(status, 200)
  }
}

const lists = ['/keys', '/organization/members', '/guardrails', '/guardrails/assignments/members', '/workspaces']

/** The answers for a management key, and the audit log. */
async function answers(service: TestService): Promise<Record<string, any>> {
  const bodies: Record<string, any> = {}
  for (const path of [...lists, '/audit', '/activity']) bodies[path] = (await service.manage('GET', path)).body.data
  for (const path of ['/presets', '/interns']) bodies[path] = (await service.ask('GET', path)).body.data
  return bodies
}

test('copy writes the same data to Postgres, and the service continues there', needsPostgres, async () => {
  const [embedded, postgres] = [await newEmptyTestStore('sqlite'), await newEmptyTestStore('postgres')]
  const settings = { data_dir: embedded.settings.data_dir, database_url: postgres.settings.database_url }
  try {
    const first = await startTestService({ testStore: embedded })
    await use(first)
    await first.stop()
    // Reads after a stop, when everything is written.
    const reading = await startTestService({ testStore: embedded })
    const before = await answers(reading)
    await reading.stop()
    const { code, out, err } = await run(settings, 'copy')
    assert.deepEqual([code, err], [0, ''])
    assert.match(
      out,
      /^ +1 organizations\n +2 users\n[\s\S]* 3 generations\n[\s\S]*Every server needs the encryption\.key/,
    )
    await using second = await startTestService({ testStore: { ...postgres, settings } })
    assert.deepEqual(await answers(second), before)
    const { status } = await second.manage('POST', '/keys', { name: 'another' })
    assert.equal(status, 201)
    const [newest, ...older] = (await second.manage('GET', '/audit')).body.data
    assert.deepEqual([newest.action, older], ['key.created', before['/audit']])
  } finally {
    await Promise.all([embedded.remove(), postgres.remove()])
  }
})

test('copy preserves sums that exceed the precision of a double', needsPostgres, async () => {
  const [embedded, postgres] = [await newEmptyTestStore('sqlite'), await newEmptyTestStore('postgres')]
  const settings = { data_dir: embedded.settings.data_dir, database_url: postgres.settings.database_url }
  try {
    const from = await openDb(embedded.settings)
    const row = sql`('b', 1, 9223372036854775806)`
    await sql`insert into budget_periods (budget, period, spent_pico) values ${row}`.execute(from.query)
    await from.close()
    writeFileSync(join(settings.data_dir, 'signalbox.lock'), '')
    assert.equal((await run(settings, 'copy')).code, 0)
    const to = await openDb(settings)
    const { rows } = await sql`select spent_pico::text as spent from budget_periods`.execute(to.query)
    await to.close()
    assert.deepEqual(rows, [{ spent: '9223372036854775806' }])
  } finally {
    await Promise.all([embedded.remove(), postgres.remove()])
  }
})

test('copy refuses a Postgres database in use and a running service', needsPostgres, async () => {
  const postgres = await newEmptyTestStore('postgres')
  try {
    await using running = await startTestService()
    const settings = { ...running.testStore.settings, database_url: postgres.settings.database_url }
    assert.match((await run(settings, 'copy')).err, /^Another Signalbox .* is using the data folder/)
    await running.stop()
    await (await startTestService({ testStore: postgres })).stop()
    const { code, err } = await run(settings, 'copy')
    assert.deepEqual(
      [code, err],
      [1, 'The Postgres database in DATABASE_URL is already in use. Specify an empty database.'],
    )
  } finally {
    await postgres.remove()
  }
})

test('copy includes all tables except those about running servers', async () => {
  const testStore = await newEmptyTestStore('sqlite')
  const db = await openDb(testStore.settings)
  const tables = await db.query.introspection.getTables()
  await db.close()
  await testStore.remove()
  const names = tables.map(({ name }) => name).filter((name) => name !== 'sqlite_sequence')
  assert.deepEqual(names.sort(), [...copiedTables, ...processTables].sort())
})

test('backup works while the service runs, and a service can start from it', async () => {
  await using service = await startTestService()
  await use(service)
  const { data_dir } = service.testStore.settings
  const file = join(data_dir, 'of today.db')
  const { code, out } = await run(service.testStore.settings, 'backup', file)
  assert.equal(code, 0)
  assert.match(out, /^Backed up to .*of today\.db\. Also keep a copy of encryption\.key/)
  assert.equal(statSync(file).mode & 0o777, 0o600)
  const restored = join(data_dir, 'restored')
  mkdirSync(restored)
  writeFileSync(join(restored, 'signalbox.lock'), '')
  copyFileSync(file, join(restored, 'signalbox.db'))
  const fixture = { settings: { data_dir: restored, database_url: undefined }, remove: async () => {} }
  await using again = await startTestService({ testStore: fixture })
  for (const path of lists) {
    const [then, now] = [await service.manage('GET', path), await again.manage('GET', path)]
    assert.deepEqual(now.body, then.body, path)
  }
})

test('backup overwrites no file, and reports a missing or Postgres database', async () => {
  await using service = await startTestService()
  const { settings } = service.testStore
  const taken = join(settings.data_dir, 'taken.db')
  writeFileSync(taken, 'precious')
  assert.match((await run(settings, 'backup', taken)).err, /taken\.db already exists\. Specify a new file\.$/)
  assert.equal(statSync(taken).size, 8)
  const missing = await run(settings, 'backup', join(settings.data_dir, 'no', 'such.db'))
  assert.match(missing.err, /^The backup .* cannot be written: its folder does not exist\.$/)
  const none = { data_dir: join(settings.data_dir, 'none'), database_url: undefined }
  assert.match((await run(none, 'backup', join(settings.data_dir, 'x.db'))).err, /^No database in/)
  assert.equal(existsSync(join(settings.data_dir, 'x.db')), false)
  const postgres = { ...settings, database_url: 'postgres://somewhere/x' }
  assert.match((await run(postgres, 'backup', 'x.db')).err, /back it up with pg_dump\.$/)
  assert.match((await run(settings, 'copy')).err, /^Set DATABASE_URL/)
})
