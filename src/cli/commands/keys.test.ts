import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '#test/harness/database/databases.ts'
import { startTestService, type TestService } from '#test/harness/service/service.ts'
import { runCli } from '../cli.ts'

/** Runs one command line and returns its output. */
async function run(args: string[], env: Record<string, string | undefined>) {
  const out: string[] = []
  const err: string[] = []
  const code = await runCli(args, { env, out: (text) => void out.push(text), err: (text) => void err.push(text) })
  return { code, out: out.join('\n'), err: err.join('\n') }
}

const on = (service: TestService) => ({ SIGNALBOX_URL: service.url, SIGNALBOX_KEY: service.managementKey })
const storeOf = ({ testStore: { settings } }: TestService) => ({
  DATA_DIR: settings.data_dir,
  DATABASE_URL: settings.database_url,
})
const works = async (service: TestService, key: string) => (await service.ask('GET', '/key', { key })).status === 200

test('keys create prints the key alone on standard output, and it works', async () => {
  await using service = await startTestService()
  const { code, out, err } = await run(['keys', 'create', 'ci', '--limit', '5', '--reset', 'weekly'], on(service))
  assert.deepEqual([code, err], [0, 'This is the API key "ci". It is not shown again.'])
  const { body } = await service.ask('GET', '/key', { key: out })
  assert.deepEqual([body.data.limit, body.data.limit_reset], [5, 'weekly'])
})

test('keys create creates management keys, and keys in another workspace', async () => {
  await using service = await startTestService()
  await service.manage('POST', '/workspaces', { name: 'Research', slug: 'research' })
  const { out } = await run(['keys', 'create', 'ops', '--management', '--workspace', 'research'], on(service))
  const { body } = await service.ask('GET', '/workspaces/research', { key: out })
  assert.equal((await service.ask('GET', '/key', { key: out })).body.data.workspace_id, body.data.id)
})

test('keys create rejects an invalid limit', async () => {
  await using service = await startTestService()
  for (const limit of ['five', '', '0', '-1', 'Infinity']) {
    const { code, err } = await run(['keys', 'create', 'ci', `--limit=${limit}`], on(service))
    assert.equal(code, 1)
    assert.match(err, /must be a positive number of US dollars/)
  }
  assert.equal((await service.manage('GET', '/keys')).body.total_count, 2)
})

test('keys create rejects a reset without a limit', async () => {
  await using service = await startTestService()
  const { code, out, err } = await run(['keys', 'create', 'ci', '--reset', 'weekly'], on(service))
  assert.deepEqual([code, out], [1, ''])
  assert.match(err, /--limit <usd>/)
  assert.equal((await service.manage('GET', '/keys')).body.total_count, 2)
})

test('keys list shows the keys of all workspaces in columns, and no secret', async () => {
  await using service = await startTestService()
  const { body } = await service.manage('POST', '/workspaces', { name: 'Research', slug: 'research' })
  await service.manage('POST', '/keys', { name: 'lab', workspace_id: body.data.id })
  const { out } = await run(['keys', 'list'], on(service))
  const [head, ...rows] = out.split('\n')
  assert.match(head!, /^HASH +KEY +KIND +STATE +LIMIT +EXPIRES \(UTC\) +WORKSPACE +MEMBER +NAME$/)
  assert.equal(rows.length, 3)
  assert.ok(
    rows.some((row) => /^[0-9a-f]{12} {2}sb-v1-\S+ +api +active +- +- +research +owner@localhost +lab$/.test(row)),
  )
  assert.ok(!out.includes(service.apiKey))
})

test('keys list --json prints complete hashes', async () => {
  await using service = await startTestService()
  const { out } = await run(['keys', 'list', '--json'], on(service))
  assert.ok(JSON.parse(out).every((key: any) => key.hash.length === 64))
})

test('keys revoke deletes the key whose hash starts with the argument', async () => {
  await using service = await startTestService()
  const { body } = await service.manage('POST', '/keys', { name: 'leaked' })
  const { code, out } = await run(['keys', 'revoke', body.data.hash.slice(0, 12)], on(service))
  assert.deepEqual([code, out], [0, `Revoked "leaked" (${body.data.label}).`])
  assert.equal(await works(service, body.key), false)
})

test('errors are printed in one sentence', async () => {
  await using service = await startTestService()
  const env = on(service)
  const wrong: [args: string[], env: Record<string, string>, message: RegExp][] = [
    [['list'], {}, /^Set SIGNALBOX_KEY to a management key of the service\.$/],
    [['list'], { ...env, SIGNALBOX_URL: 'http://127.0.0.1:1' }, /^Cannot connect to .* start the service/],
    [['list'], { ...env, SIGNALBOX_URL: 'nowhere' }, /^SIGNALBOX_URL must be a URL such as .*, not "nowhere"/],
    [['list'], { ...env, SIGNALBOX_KEY: 'nonsense' }, /^The service refused \(401\): Invalid key/],
    [['list'], { ...env, SIGNALBOX_KEY: service.apiKey }, /^The service refused \(403\): Only management keys/],
    [['create', 'n', '--workspace', 'x'], env, /^The service refused \(404\): Workspace not found\.$/],
    [['create', 'n', '--expires', 'tomorrow'], env, /^The service refused \(400\): .*expires_at/],
    [['revoke', 'abc'], env, /^"abc" is too short/],
    [['revoke', '000000'], env, /^No key has a hash that starts with "000000"/],
  ]
  for (const [args, environment, message] of wrong) {
    const { code, out, err } = await run(['keys', ...args], environment)
    assert.deepEqual([code, out], [1, ''], args.join(' '))
    assert.match(err, message)
    assert.equal(err.split('\n').length, 1)
  }
})

test('SIGNALBOX_URL can be an origin without a path', async () => {
  await using service = await startTestService()
  const { code } = await run(['keys', 'list'], { ...on(service), SIGNALBOX_URL: new URL(service.url).origin })
  assert.equal(code, 0)
})

onEachDatabase('keys reset-management', (kind) => {
  test('creates a management key without the service', async () => {
    await using service = await startTestService({ kind })
    await service.stop()
    const { out, err } = await run(['keys', 'reset-management'], storeOf(service))
    assert.match(err, /not shown again\.\n1 other management key still enabled\.$/)
    await using restarted = await startTestService({ testStore: service.testStore })
    assert.equal((await restarted.ask('GET', '/keys', { key: out })).status, 200)
    assert.equal(await works(restarted, service.managementKey), true)
  })

  test('disables all other management keys with --disable-others', async () => {
    await using service = await startTestService({ kind })
    await service.stop()
    const { out, err } = await run(['keys', 'reset-management', '--disable-others'], storeOf(service))
    assert.match(err, /1 other management key disabled\.$/)
    await using restarted = await startTestService({ testStore: service.testStore })
    assert.equal(await works(restarted, out), true)
    assert.equal(await works(restarted, service.managementKey), false)
    assert.equal(await works(restarted, service.apiKey), true)
  })

  test('works on Postgres while the service runs', {
    skip: kind === 'sqlite' && 'the embedded database is opened by one process only',
  }, async () => {
    await using service = await startTestService({ kind })
    const { out } = await run(['keys', 'reset-management'], storeOf(service))
    assert.equal((await service.ask('GET', '/keys', { key: out })).status, 200)
  })
})

test('keys reset-management refuses a running embedded service', async () => {
  await using service = await startTestService()
  const busy = await run(['keys', 'reset-management'], storeOf(service))
  assert.deepEqual([busy.code, busy.out], [1, ''])
  assert.match(busy.err, /^Another Signalbox .* is using the data folder/)
  const none = await run(['keys', 'reset-management'], { DATA_DIR: `${service.testStore.settings.data_dir}/none` })
  assert.match(none.err, /^No database in/)
})

test('keys revoke prints no control characters from the name of a key', async () => {
  await using service = await startTestService()
  const { body } = await service.manage('POST', '/keys', { name: 'a\x1b]0;evil\x07\x9b2J' })
  const { out } = await run(['keys', 'revoke', body.data.hash], on(service))
  assert.match(out, /^Revoked "a\\u001b\]0;evil\\u0007\\u009b2J" /)
})
