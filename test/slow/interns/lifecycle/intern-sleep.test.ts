import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { onOneDatabase } from '../../../harness/database/databases.ts'
import { type InternChatService, open, scripted, startInternChatService } from '../../../harness/interns/intern-chat.ts'
import { startInternHosts } from '../../../harness/interns/intern-hosts.ts'
import {
  answer,
  daemonPid,
  isRunning,
  runningIntern,
  say,
  trySay,
  untilIntern,
} from '../../../harness/interns/interns.ts'
import { startTestService } from '../../../harness/service/service.ts'
import { until } from '../../../harness/until.ts'

const settings = { intern_idle_ms: 1000 }
const record = async (service: InternChatService) => (await service.ask('GET', `/interns/${service.id}`)).body
const asleep = (service: InternChatService) =>
  until(async () => {
    const found = await record(service)
    return (
      found.asleep_since !== null && !isRunning(daemonPid(service.testStore.settings.data_dir, service.id)) && found
    )
  })

onOneDatabase('an idle intern', (kind) => {
  test('sleeps without a process, counts as running, and continues at the next prompt', async () => {
    await using service = await startInternChatService({ kind, settings })
    const home = join(service.testStore.settings.data_dir, 'interns', service.id)
    const read = (name: string) => JSON.parse(readFileSync(join(home, name), 'utf8'))
    // Before the first prompt, because a busy machine may have to wake the intern for it.
    assert.equal(read('settings.json').start_agent, undefined)
    const first = await say(service, service.id, 'say hello')
    assert.equal((await asleep(service)).status, 'running')
    await until(() => read('daemon.json').ended === true)
    const turn = await say(service, service.id, 'say again', { session_id: first.sessionId })
    assert.deepEqual([turn.text, turn.finish], ['again', 'stop'])
    // An intern is woken for a prompt, so its agent starts with it.
    assert.deepEqual([read('settings.json').start_agent, read('daemon.json').ended], [true, undefined])
    assert.equal((await record(service)).asleep_since, null)
    const { body } = await service.ask('GET', `/interns/${service.id}/sessions/${first.sessionId}`)
    assert.deepEqual(
      body.data.entries.flatMap((entry: { type: string; text?: string }) =>
        entry.type === 'message' ? [entry.text] : [],
      ),
      ['hello', 'again'],
    )
    await asleep(service)
  })

  test('wakes once for concurrent prompts, and all are answered', async () => {
    await using service = await startInternChatService({ kind, settings })
    await asleep(service)
    const all = await Promise.all(Array.from({ length: 10 }, (_, at) => say(service, service.id, `say ${at}`)))
    assert.deepEqual(
      all.map(({ text, error }) => error ?? text),
      Array.from({ length: 10 }, (_, at) => String(at)),
    )
  })

  test('loses no prompt that arrives while it falls asleep', async () => {
    await using service = await startInternChatService({ kind, settings: { intern_idle_ms: 250 } })
    for (let turn = 0; turn < 12; turn++) {
      await new Promise((resolve) => setTimeout(resolve, 200 + turn * 10))
      const { text, error } = await say(service, service.id, `say ${turn}`)
      assert.equal(error?.message ?? text, String(turn))
    }
  })

  test('stays awake while it waits, is followed, or works in the background', async () => {
    await using service = await startInternChatService({ kind, settings })
    const pid = daemonPid(service.testStore.settings.data_dir, service.id)
    // Longer than the intern stays awake by itself, and without a gap between the activities that keep it awake.
    const stayed = async (why: string) => {
      await new Promise((resolve) => setTimeout(resolve, 2500))
      const { asleep_since } = await record(service)
      assert.deepEqual([asleep_since, daemonPid(service.testStore.settings.data_dir, service.id)], [null, pid], why)
    }
    const question = await say(service, service.id, 'permission shell allow_once\nsay done')
    await stayed('a question waits')
    const leave = new AbortController()
    const headers = { authorization: `Bearer ${service.apiKey}` }
    const url = `${service.url}/interns/${service.id}/sessions/${question.sessionId}/events`
    const followed = await fetch(url, { headers, signal: leave.signal })
    // A reply without a reference is garbage-collected, and its connection with it.
    const finished = followed.text().catch(() => {})
    assert.match((await answer(service, service.id, question, 'allow_once')).text, /done/)
    await stayed('somebody follows it')
    const messages = [{ role: 'user', content: 'wait 600000' }]
    await open(service, service.id, { background: true, stream: false, messages })
    leave.abort()
    await finished
    await stayed('it works in the background')
    const run = (await service.ask('GET', `/interns/${service.id}/runs?background=true`)).body.data[0]
    await service.ask('POST', `/interns/${service.id}/runs/${run.id}/cancel`)
    await asleep(service)
  })

  test('is read, stopped, started and deleted as one that runs', async () => {
    await using service = await startInternChatService({ kind, settings })
    const { sessionId } = await say(service, service.id, 'say hello')
    await asleep(service)
    const ask = async (method: string, path: string) => {
      const { status, text } = await service.ask(method, `/interns/${service.id}${path}`)
      return status < 500 ? status : text
    }
    assert.deepEqual([await ask('GET', `/sessions/${sessionId}`), await ask('GET', '/files')], [200, 200])
    assert.equal((await record(service)).status, 'running')
    assert.equal(await ask('POST', '/suspend'), 200)
    assert.deepEqual([(await record(service)).status, (await record(service)).asleep_since], ['stopped', null])
    assert.equal((await trySay(service, service.id, 'say no')).error?.metadata?.reason, 'intern_not_ready')
    await ask('POST', '/provision')
    await untilIntern(service, service.id, 'running')
    await asleep(service)
    assert.equal(await ask('DELETE', ''), 202)
    await until(async () => (await ask('GET', '')) === 404)
  })

  test('stays asleep after a restart, and reports why it cannot be woken', async () => {
    const service = await startInternChatService({ kind, settings })
    const { id, testStore } = service
    await asleep(service)
    await service.stop()
    const missing = { agents: {} }
    await using next = await startTestService({
      testStore,
      settings: { ...scripted, ...settings, ...missing } as object,
    })
    const restarted = Object.assign(next, { id })
    assert.notEqual((await record(restarted)).asleep_since, null)
    const turn = await trySay(restarted, id, 'say hello')
    assert.deepEqual([turn.status, turn.error?.metadata?.reason], [409, 'intern_not_ready'])
    assert.match(turn.error!.message, /^The intern is not running: it is failed\. .*scripted/)
  })
})

const skip = process.env.TEST_DATABASE_URL ? false : 'TEST_DATABASE_URL is not set'

test('an intern is woken through a server of another host', { skip }, async () => {
  await using hosts = await startInternHosts({ INTERN_IDLE_MS: '1000' })
  const home = await hosts.start('a')
  const other = await hosts.start('b', { INTERNS: 'off' })
  const { id } = await runningIntern(home, { agent: 'scripted' })
  const { sessionId } = await say(home, id, 'say hello')
  await until(async () => (await other.ask('GET', `/interns/${id}`)).body.asleep_since !== null)
  assert.equal((await say(other, id, 'say again', { session_id: sessionId })).text, 'again')
})
