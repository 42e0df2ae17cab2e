import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { onOneDatabase } from '../../../harness/database/databases.ts'
import {
  answer,
  daemonPid,
  isRunning,
  runningIntern,
  say,
  tryAnswer,
  trySay,
  untilIntern,
} from '../../../harness/interns/interns.ts'
import { startTestService, type TestService } from '../../../harness/service/service.ts'
import { until } from '../../../harness/until.ts'

const make = (service: TestService, body: object, headers?: Record<string, string>) =>
  service.ask('POST', '/interns', { body, ...(headers && { headers }) })
const command = (service: TestService, id: string, verb: string) => service.ask('POST', `/interns/${id}/${verb}`)

onOneDatabase('the life of an intern', (kind) => {
  test('an intern is created, provisioned, used, suspended, resumed and deleted', async () => {
    await using service = await startTestService({ kind })
    const created = await make(service, { name: 'ada' })
    assert.deepEqual([created.status, created.body.status], [201, 'stopped'])
    const { id } = created.body
    const provisioned = await command(service, id, 'provision')
    assert.deepEqual([provisioned.status, provisioned.body], [202, { provisioning: true }])
    assert.ok((await untilIntern(service, id, 'running')).hostname)
    const turn = await say(service, id, 'write notes.txt: kept', { approval_mode: 'self-drive' })
    assert.equal(turn.finish, 'stop')

    const pid = daemonPid(service.testStore.settings.data_dir, id)
    const suspended = await command(service, id, 'suspend')
    assert.deepEqual([suspended.status, suspended.body], [200, { suspended: true }])
    assert.equal(isRunning(pid), false)
    assert.equal((await trySay(service, id, 'hi')).error?.metadata?.reason, 'intern_not_ready')
    await command(service, id, 'provision')
    await untilIntern(service, id, 'running')
    assert.match((await say(service, id, 'read notes.txt', { session_id: turn.sessionId })).text, /kept/)

    const deleted = await service.ask('DELETE', `/interns/${id}`)
    assert.deepEqual([deleted.status, deleted.body], [202, { deleting: true }])
    await until(async () => (await service.ask('GET', `/interns/${id}`)).status === 404)
    assert.equal(existsSync(join(service.testStore.settings.data_dir, 'interns', id)), false)
    assert.equal((await make(service, { name: 'ada' })).status, 201)
  })

  test('an idempotency key returns the same intern until that is deleted', async () => {
    await using service = await startTestService({ kind })
    const key = { 'idempotency-key': 'once' }
    const [first, second] = await Promise.all([
      make(service, { name: 'ada' }, key),
      make(service, { name: 'ada' }, key),
    ])
    assert.deepEqual([first.status, second.status].sort(), [200, 201])
    assert.deepEqual(first.body, second.body)
    assert.equal((await make(service, { name: 'bob' }, key)).status, 409)
    await service.ask('DELETE', `/interns/${first.body.id}`)
    await until(async () => (await service.ask('GET', `/interns/${first.body.id}`)).status === 404)
    assert.equal((await make(service, { name: 'bob' }, key)).status, 201)
  })

  test('a list continues from its cursor, newest first, and by status', async () => {
    await using service = await startTestService({ kind })
    for (const name of ['a1', 'a2', 'a3']) await make(service, { name })
    const seen: string[] = []
    let path = '/interns?limit=2'
    for (;;) {
      const { body } = await service.ask('GET', path)
      seen.push(...body.data.map((intern: { name: string }) => intern.name))
      if (!body.has_more) break
      path = `/interns?limit=2&starting_after=${body.next_cursor}`
    }
    assert.deepEqual(seen.sort(), ['a1', 'a2', 'a3'])
    assert.equal((await service.ask('GET', '/interns?status=running,failed')).body.data.length, 0)
    assert.equal((await service.ask('GET', '/interns?starting_after=unknown')).status, 400)
  })

  test('an action in a wrong state is a conflict, and one with fields is refused', async () => {
    await using service = await startTestService({ kind })
    const { id } = (await make(service, { name: 'ada' })).body
    assert.equal((await command(service, id, 'suspend')).status, 409)
    assert.equal((await service.ask('POST', `/interns/${id}/provision`, { body: { now: true } })).status, 400)
    await command(service, id, 'provision')
    assert.equal((await command(service, id, 'provision')).status, 409)
    await untilIntern(service, id, 'running')
    assert.equal((await make(service, { name: 'ada' })).status, 409)
    assert.equal((await make(service, { name: 'Ada' })).status, 400)
  })

  test('its own key works for models, not for interns, and ends with its suspension', async () => {
    await using service = await startTestService({ kind })
    const { id } = await runningIntern(service)
    const keys = async () =>
      (await service.manage('GET', '/keys')).body.data.filter((key: { kind: string }) => key.kind === 'intern')
    assert.equal((await keys()).length, 1)
    await command(service, id, 'suspend')
    assert.equal((await keys()).length, 0)
  })

  test('a failed start has a reason, and can be provisioned again', async () => {
    const agents = { tidy: { command: process.execPath, args: [], env: {} } }
    await using service = await startTestService({ kind, settings: { agents } })
    const { id } = (await make(service, { name: 'ada', agent: 'tidy' })).body
    await service.stop()
    await using later = await startTestService({ testStore: service.testStore })
    await command(later, id, 'provision')
    const failed = await untilIntern(later, id, 'failed')
    assert.match(failed.last_failure_message, /The agent "tidy" is not configured/)
    assert.equal((await command(later, id, 'provision')).status, 202)
  })
})

test('a custom command runs only if the operator allows it', async () => {
  await using service = await startTestService()
  const agent = { command: '/bin/sh' }
  assert.equal((await make(service, { name: 'ada', agent })).status, 403)
  assert.equal((await make(service, { name: 'ada', agent: 'unknown' })).status, 400)
  await using open = await startTestService({ settings: { allow_custom_agents: 'true' as never } })
  const created = await make(open, { name: 'ada', agent: { ...agent, env: { SECRET: 'hunter2' } } })
  assert.deepEqual([created.status, created.body.agent.env], [201, { SECRET: '********' }])
})

test('a permission is answered by id or as the pending one, and the reply continues', async () => {
  await using service = await startTestService()
  const { id } = await runningIntern(service)
  const turn = await say(service, id, 'write a haiku')
  assert.deepEqual([turn.finish, turn.question?.arguments.operation], ['tool_calls', 'shell'])
  assert.match((await answer(service, id, turn, 'allow_once')).text, /Done/)
  const second = await say(service, id, 'write a haiku')
  const pending = { ...second, question: { ...second.question!, id: 'pending' } }
  assert.match((await answer(service, id, pending, 'reject_once')).text, /Done/)
  assert.equal((await tryAnswer(service, id, pending, 'reject_once')).error?.metadata?.reason, 'interaction_unknown')
})
