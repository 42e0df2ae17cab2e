import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from '#platform/db/kysely.ts'
import { openDb } from '#platform/db/open.ts'
import { newTestStore, onOneDatabase } from '../../harness/database/databases.ts'
import { scripted } from '../../harness/interns/intern-chat.ts'
import { daemonPid, runningIntern, say } from '../../harness/interns/interns.ts'
import { startReceiver, verified } from '../../harness/service/receiver.ts'
import { startProcess } from '../../harness/service/server-process.ts'
import { startTestService, type TestService } from '../../harness/service/service.ts'
import { addColleague } from '../../harness/service/world/colleague.ts'
import { until } from '../../harness/until.ts'

const settingsFor = (origin: string) => ({ ...scripted, webhook_origins: [origin] })

const make = async (service: Pick<TestService, 'manage'>, body: object) => {
  const created = await service.manage('POST', '/webhooks', body)
  assert.equal(created.status, 201, created.text)
  return created.body as { data: any; secret: string }
}

onOneDatabase('a webhook', (kind) => {
  test('gets signed events for questions, ended turns and failed interns', async () => {
    await using receiver = await startReceiver()
    await using service = await startTestService({ kind, settings: settingsFor(receiver.origin) })
    const { secret } = await make(service, { url: receiver.url, include: ['question'] })
    const { id, name } = await runningIntern(service, { agent: 'scripted' })
    const { sessionId, question: answer } = await say(service, id, 'permission shell allow_once')
    const question = await receiver.receive('intern.question_asked')
    const { data } = verified(secret, question)
    assert.deepEqual(
      [data.intern_id, data.intern_name, data.session_id, data.question_id, data.question.operation],
      [id, name, sessionId, answer?.id, 'shell'],
    )
    const { body } = await service.ask('GET', `/interns/${id}/runs`)
    await service.ask('POST', `/interns/${id}/runs/${body.data[0].id}/cancel`)
    const end = verified(secret, await receiver.receive('intern.run_ended')).data
    assert.deepEqual([end.run_id, end.outcome, end.session_id], [body.data[0].id, 'cancelled', sessionId])
    process.kill(daemonPid(service.testStore.settings.data_dir, id), 'SIGKILL')
    assert.match(verified(secret, await receiver.receive('intern.failed')).data.reason, /killed by SIGKILL/)
  })

  test('gets private interns of its creator only, and only their events', async () => {
    await using mine = await startReceiver()
    await using service = await startTestService({ kind, settings: settingsFor(mine.origin) })
    await make(service, { url: mine.url, events: ['intern.run_ended'] })
    const grace = await addColleague(service)
    const { id } = await runningIntern({ ask: grace.ask }, { name: 'hers', agent: 'scripted' })
    const shared = await runningIntern(service, { name: 'shared', agent: 'scripted', visibility: 'workspace' })
    await say({ ask: grace.ask }, id, 'permission shell allow_once')
    await say({ ask: grace.ask }, id, 'say secret')
    await say(service, shared.id, 'say open')
    await mine.receive('intern.run_ended', ({ intern_name }) => intern_name === 'shared')
    assert.deepEqual(new Set(mine.received.map(({ result }) => result.data.intern_name)), new Set(['shared']))
  })

  test('does not reveal the creator’s private events after a redirect', async () => {
    let isDown = true
    await using mine = await startReceiver((response) => response.writeHead(isDown ? 503 : 204).end())
    await using evil = await startReceiver()
    const settings = { ...settingsFor(mine.origin), public_url: 'https://signalbox.example' }
    settings.webhook_origins.push(evil.origin)
    await using service = await startTestService({ kind, settings })
    const { data } = await make(service, { url: mine.url, include: ['question', 'answer_link'] })
    const { id } = await runningIntern(service, { agent: 'scripted' })
    await say(service, id, 'permission shell allow_once')
    const { result } = await mine.receive('intern.question_asked')
    const mallory = await addColleague(service, 'mallory', { kind: 'management' })
    const turned = await service.ask('PATCH', `/webhooks/${data.id}`, { key: mallory.key, body: { url: evil.url } })
    assert.deepEqual([turned.status, turned.body.data.created_by_user_id], [200, mallory.userId], turned.text)
    isDown = false
    await say(service, id, 'permission shell allow_once')
    await service.ask('POST', `/webhooks/${data.id}/test`, { key: mallory.key, body: {} })
    await evil.receive('webhook.test')
    assert.deepEqual(new Set(evil.received.map(({ result }) => result.type)), new Set(['webhook.test']))
    const path = result.data.answer_url.replace('https://signalbox.example/api/v1', '')
    assert.equal((await service.ask('GET', path, { key: null })).status, 410)
    const { body } = await service.manage('GET', `/webhooks/${data.id}/deliveries?state=failed`)
    assert.equal(body.data[0].last_error, 'another member changed the webhook')
  })

  test('hides its secret: encrypted at rest, shown once, in no response or audit event', async () => {
    const testStore = await newTestStore(kind)
    const service = await startTestService({ testStore })
    const { data, secret } = await make(service, { url: 'https://hooks.example.com/x' })
    const { body: rotated } = await service.manage('POST', `/webhooks/${data.id}/rotate-secret`, {})
    assert.notEqual(rotated.secret, secret)
    const names = [
      (await service.manage('GET', '/webhooks')).text,
      (await service.manage('GET', `/webhooks/${data.id}`)).text,
      (await service.manage('GET', '/audit?target_kind=webhook')).text,
    ]
    await service.stop()
    const db = await openDb(testStore.settings)
    const { rows } = await sql`select * from webhooks`.execute(db.query)
    names.push(JSON.stringify(rows))
    await db.close()
    await testStore.remove()
    for (const one of [secret, rotated.secret]) assert.ok(names.every((text) => !text.includes(one.slice(6))))
  })

  test('sends queued deliveries after the server was killed', async () => {
    let takes = false
    await using receiver = await startReceiver((response) => response.writeHead(takes ? 204 : 503).end())
    const testStore = await newTestStore(kind)
    const env = {
      DATA_DIR: testStore.settings.data_dir,
      ...(testStore.settings.database_url && { DATABASE_URL: testStore.settings.database_url }),
      WEBHOOK_ORIGINS: receiver.origin,
      BOOTSTRAP_MANAGEMENT_KEY: `sb-v1-${'a'.repeat(64)}`,
    }
    const manage = async (url: string, method: string, path: string, body?: object) => {
      const headers = { authorization: `Bearer ${env.BOOTSTRAP_MANAGEMENT_KEY}`, 'content-type': 'application/json' }
      const response = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
      return (await response.json()) as any
    }
    const first = startProcess(env)
    const url = await first.url
    const { data, secret } = await manage(url, 'POST', '/webhooks', { url: receiver.url })
    const ids = await Promise.all(
      [1, 2, 3].map(async () => (await manage(url, 'POST', `/webhooks/${data.id}/test`)).data.id),
    )
    await until(() => receiver.received.length > 0)
    first.signal('SIGKILL')
    await first.ended
    takes = true
    const before = receiver.received.length
    await using second = startProcess(env)
    const restarted = await second.url
    const states = await until(async () => {
      const { data: all } = await manage(restarted, 'GET', `/webhooks/${data.id}/deliveries?state=delivered`)
      return all.length === 3 && all
    }, 180_000)
    assert.deepEqual(new Set(states.map(({ id }: any) => id)), new Set(ids))
    for (const one of receiver.received.slice(before)) assert.equal(verified(secret, one).type, 'webhook.test')
    await second[Symbol.asyncDispose]()
    await testStore.remove()
  })
})

describe('webhooks', () => {
  let service: TestService
  before(async () => {
    service = await startTestService()
  })
  after(() => service[Symbol.asyncDispose]())

  test('are created, changed, listed and deleted, each with an audit record', async () => {
    const { data } = await make(service, { url: 'https://hooks.example.com/a', description: 'Chat' })
    const events = ['intern.question_asked', 'intern.run_ended', 'intern.failed', 'limit.nearly_spent', 'limit.spent']
    assert.deepEqual([data.enabled, data.events, data.include], [true, events, []])
    const path = `/webhooks/${data.id}`
    const changed = await service.manage('PATCH', path, { enabled: false, events: ['intern.failed'] })
    assert.deepEqual([changed.body.data.enabled, changed.body.data.events], [false, ['intern.failed']])
    assert.equal((await service.manage('POST', `${path}/test`)).status, 409)
    assert.deepEqual((await service.manage('DELETE', path)).body, { deleted: true })
    assert.equal((await service.manage('GET', path)).status, 404)
    const { body } = await service.manage('GET', '/audit?target_kind=webhook')
    const actions = body.data.map(({ action }: { action: string }) => action)
    assert.deepEqual(actions, ['webhook.deleted', 'webhook.updated', 'webhook.created'])
  })

  test('are refused with the field and the valid values', async () => {
    for (const [body, message] of [
      [{ url: 'http://hooks.example.com' }, /url: must begin with https:.*webhook_origins/],
      [{ url: 'https://192.168.0.1/' }, /url: is not at a public address/],
      [{ url: 'https://hooks.example.com', events: ['intern.born'] }, /events/],
      [{ url: 'https://hooks.example.com', event: [] }, /did you mean "events"/],
      [{ url: 'https://hooks.example.com', include: ['answer_link'] }, /include: `answer_link` requires.*public_url/],
      [{ url: 'https://hooks.example.com', workspace_id: 'none' }, /workspace_id/],
    ] as const) {
      const refused = await service.manage('POST', '/webhooks', body)
      assert.deepEqual([refused.status, message.test(refused.body.error.message)], [400, true], refused.text)
    }
    assert.equal((await service.ask('GET', '/webhooks')).status, 403)
    assert.equal((await service.manage('GET', '/webhooks/none/deliveries')).status, 404)
  })
})
