import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { getPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { newTestStore, type TestStore } from '../../../harness/database/databases.ts'
import {
  answer,
  daemonPid,
  isRunning,
  runningIntern,
  say,
  tryAnswer,
  untilIntern,
} from '../../../harness/interns/interns.ts'
import { startProcess } from '../../../harness/service/server-process.ts'
import { startTestService } from '../../../harness/service/service.ts'
import { timed, until } from '../../../harness/until.ts'

const key = `sb-v1-${'b'.repeat(64)}`
const children = (pid: number) =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)

/** A server as a separate process, and a client for it. */
async function startServer({ settings }: TestStore, env: Record<string, string> = {}) {
  const server = startProcess({
    DATA_DIR: settings.data_dir,
    ...(settings.database_url && { DATABASE_URL: settings.database_url }),
    BOOTSTRAP_API_KEY: key,
    ...env,
  })
  const url = await server.url
  const ask = async (method: string, path: string, { body }: { body?: unknown } = {}) => {
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json')
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined }
  }
  return { server, ask }
}

test('a killed daemon is noticed within a second, reported, and restarted', async () => {
  await using service = await startTestService()
  const { id } = await runningIntern(service)
  const { sessionId, ...question } = await say(service, id, 'write a haiku')
  const pid = daemonPid(service.testStore.settings.data_dir, id)
  process.kill(pid, 'SIGKILL')
  const noticed = () => untilIntern(service, id, 'failed')
  const { tookMs, allowedMs, result: failed } = await timed(1000, noticed)
  assert.ok(tookMs < allowedMs, `it took ${tookMs} ms`)
  assert.equal(failed.last_failure_message, 'The daemon was killed by SIGKILL.')
  await untilIntern(service, id, 'running')
  const late = await tryAnswer(service, id, { ...question, sessionId }, 'allow_once')
  assert.equal(late.error?.metadata?.reason, 'interaction_not_pending')
  assert.equal((await say(service, id, 'hello', { session_id: sessionId })).finish, 'stop')
})

test('a hanging daemon is reported, killed, and restarted', async () => {
  await using service = await startTestService({ settings: { intern_unresponsive_ms: 10_000 } })
  const { id } = await runningIntern(service)
  const { sessionId } = await say(service, id, 'hello')
  const pid = daemonPid(service.testStore.settings.data_dir, id)
  process.kill(pid, 'SIGSTOP')
  const failed = await untilIntern(service, id, 'failed')
  assert.equal(failed.last_failure_message, 'The daemon has not responded for 10 s.')
  await untilIntern(service, id, 'running')
  assert.equal(isRunning(pid), false)
  assert.equal((await say(service, id, 'hello', { session_id: sessionId })).finish, 'stop')
})

test('a daemon and its agent give way to the server', async () => {
  await using service = await startTestService()
  const { id } = await runningIntern(service)
  await say(service, id, 'hello')
  const daemon = daemonPid(service.testStore.settings.data_dir, id)
  const agents = children(daemon)
  assert.equal(agents.length, 1)
  for (const pid of [daemon, ...agents]) assert.equal(getPriority(pid), getPriority() + 5)
})

test('a waiting run survives the death of the server, and is answered by the next', async () => {
  const testStore = await newTestStore('sqlite')
  const first = await startServer(testStore)
  const { id } = await runningIntern(first)
  const turn = await say(first, id, 'write a haiku')
  const pid = daemonPid(testStore.settings.data_dir, id)
  first.server.signal('SIGKILL')
  await first.server.ended
  const second = await startServer(testStore)
  assert.match((await answer(second, id, turn, 'allow_once')).text, /Done/)
  assert.equal(daemonPid(testStore.settings.data_dir, id), pid, 'it was taken over, not started again')
  process.kill(pid, 'SIGKILL')
  await untilIntern(second, id, 'failed')
  await untilIntern(second, id, 'running')
  second.server.signal('SIGINT')
  assert.equal(await second.server.ended, 0)
  assert.equal(isRunning(daemonPid(testStore.settings.data_dir, id)), false)
  await testStore.remove()
})

test('Ctrl-C ends all processes of an intern within two seconds', async () => {
  const testStore = await newTestStore('sqlite')
  const first = await startServer(testStore)
  const interns = await Promise.all(['a1', 'a2'].map((name) => runningIntern(first, { name })))
  await Promise.all(interns.map(({ id }) => say(first, id, 'write a haiku')))
  const daemons = interns.map(({ id }) => daemonPid(testStore.settings.data_dir, id))
  const all = [...daemons, ...daemons.flatMap(children)]
  assert.ok(all.length >= 4)
  const { tookMs, allowedMs } = await timed(2500, async () => {
    first.server.signal('SIGINT')
    assert.equal(await first.server.ended, 0)
  })
  assert.ok(tookMs < allowedMs, `it took ${tookMs} ms`)
  assert.deepEqual(all.filter(isRunning), [])
  const second = await startServer(testStore)
  await untilIntern(second, interns[0]!.id, 'running')
  second.server.signal('SIGTERM')
  await second.server.ended
  await testStore.remove()
})

test('with keep_interns_running they continue when the server stops', async () => {
  const testStore = await newTestStore('sqlite')
  const first = await startServer(testStore, { KEEP_INTERNS_RUNNING: 'true' })
  const { id } = await runningIntern(first)
  const turn = await say(first, id, 'write a haiku')
  first.server.signal('SIGINT')
  assert.equal(await first.server.ended, 0)
  const second = await startServer(testStore)
  assert.match((await answer(second, id, turn, 'allow_once')).text, /Done/)
  await second.ask('POST', `/interns/${id}/suspend`)
  second.server.signal('SIGINT')
  await second.server.ended
  await testStore.remove()
})

test('an intern keeps its files when the data folder is moved', async () => {
  const testStore = await newTestStore('sqlite')
  const first = await startServer(testStore)
  const { id } = await runningIntern(first)
  const { sessionId } = await say(first, id, 'hello')
  const old = testStore.settings.data_dir
  writeFileSync(join(old, 'interns', id, 'workspace', 'notes.txt'), 'mine')
  first.server.signal('SIGTERM')
  await first.server.ended
  const data_dir = `${old}-moved`
  renameSync(old, data_dir)
  const second = await startServer({ ...testStore, settings: { ...testStore.settings, data_dir } })
  await untilIntern(second, id, 'running')
  assert.equal((await say(second, id, 'hello', { session_id: sessionId })).finish, 'stop')
  assert.equal((await second.ask('GET', `/interns/${id}/files/content?path=notes.txt`)).text, 'mine')
  assert.equal(existsSync(old), false)
  second.server.signal('SIGTERM')
  await second.server.ended
  rmSync(data_dir, { recursive: true })
})

test('two servers on one Postgres: the other answers, and takes over', {
  skip: process.env.TEST_DATABASE_URL ? false : 'TEST_DATABASE_URL is not set',
}, async (t) => {
  const testStore = await newTestStore('postgres')
  const other = {
    ...testStore,
    settings: { ...testStore.settings, data_dir: mkdtempSync(join(tmpdir(), 'signalbox-other-')) },
  }
  const first = await startServer(testStore)
  t.after(() => first.server.signal('SIGKILL'))
  // Either server can start it; the test needs the one that did.
  const { id } = await runningIntern(first)
  await using second = await startTestService({ testStore: other })
  const turn = await say(first, id, 'write a haiku')
  assert.match((await answer(second, id, turn, 'allow_once')).text, /Done/)
  const pid = daemonPid(testStore.settings.data_dir, id)
  first.server.signal('SIGKILL')
  await first.server.ended
  assert.equal((await say(second, id, 'hello')).finish, 'stop')
  // After the lease of the dead server has expired.
  await new Promise((resolve) => setTimeout(resolve, 7000))
  process.kill(pid, 'SIGKILL')
  await untilIntern(second, id, 'failed')
  await untilIntern(second, id, 'running')
  await second.ask('DELETE', `/interns/${id}`)
  await until(async () => (await second.ask('GET', `/interns/${id}`)).status === 404)
  await second.stop()
  rmSync(other.settings.data_dir, { recursive: true })
  await testStore.remove()
})

test('as root each intern runs as a separate user without access to trusted files', {
  skip: process.getuid?.() === 0 ? false : 'takes root',
}, async () => {
  const testStore = await newTestStore('sqlite')
  chmodSync(testStore.settings.data_dir, 0o711)
  const service = await startTestService({ testStore })
  const interns = await Promise.all(['a1', 'a2'].map((name) => runningIntern(service, { name })))
  const homes = interns.map(({ id }) => join(testStore.settings.data_dir, 'interns', id))
  const users = homes.map((home) => statSync(join(home, 'workspace')).uid)
  assert.ok(users[0] !== users[1] && users.every((user) => user >= 1_900_000_000))
  const { text } = await say(
    service,
    interns[0]!.id,
    'run: id -u; touch ../daemon.json ../door/x 2>&1; ls ../../; cat ../daemon.json',
    {
      approval_mode: 'self-drive',
    },
  )
  assert.match(text, new RegExp(String(users[0])))
  assert.equal(text.match(/Permission denied/g)?.length, 4)
  await service.stop()
  await testStore.remove()
})
