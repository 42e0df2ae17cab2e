import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onOneDatabase } from '../../harness/database/databases.ts'
import { addOrganization } from '../../harness/database/organizations.ts'
import { scripted } from '../../harness/interns/intern-chat.ts'
import { answer, runningIntern, say, untilIntern } from '../../harness/interns/interns.ts'
import { openBrowser } from '../../harness/service/browser-client.ts'
import { listen } from '../../harness/service/events.ts'
import { startFaultyService } from '../../harness/service/faulty-service.ts'
import { startTestService, type TestService } from '../../harness/service/service.ts'
import { addColleague } from '../../harness/service/world/colleague.ts'
import { timed, until } from '../../harness/until.ts'
import { validResponses } from '../../harness/upstream/faulty/faults.ts'
import { type FaultyRequest, startFaultyUpstream } from '../../harness/upstream/faulty/faulty-upstream.ts'

const words = { model: 'signalbox/demo', messages: [{ role: 'user', content: 'demo:words=2' }] }

/** @returns the id of the request. */
async function complete(service: Pick<TestService, 'ask'>, key?: string): Promise<string> {
  const reply = await service.ask('POST', '/chat/completions', { body: words, ...(key && { key }) })
  assert.equal(reply.status, 200, reply.text)
  return reply.headers.get('x-generation-id')!
}

const isOf = (id: string) => (data: { id: string }) => data.id === id

/** The last event of a stream, once the server has ended it. */
async function endOf(listening: Awaited<ReturnType<typeof listen>>) {
  const response = await listening.waitFor('end')
  await until(() => listening.ended())
  return response
}

onOneDatabase('the stream of events', (kind) => {
  test('sends each request once it is in the ledger, as in the list', async () => {
    await using service = await startTestService({ kind })
    const listening = await listen(service.url, { key: service.apiKey })
    const id = await complete(service)
    const response = await listening.waitFor('generation', isOf(id))
    const { body } = await service.ask('GET', '/generations')
    assert.deepEqual(response, body.data[0])
    listening.close()
  })

  test('resumes after the last received event, without gaps or repeats', async () => {
    await using service = await startTestService({ kind })
    const first = await listen(service.url, { key: service.apiKey })
    const texts = [await complete(service), await complete(service)]
    for (const id of texts) await first.waitFor('generation', isOf(id))
    first.close()
    const missed = [await complete(service), await complete(service)]
    await until(async () => (await service.ask('GET', '/generations')).body.data.length === 4)
    const resumed = await listen(service.url, { key: service.apiKey, lastEventId: first.lastId() })
    const later = await complete(service)
    await resumed.waitFor('generation', isOf(later))
    assert.deepEqual(
      resumed
        .dataOf('generation')
        .map(({ id }) => id)
        .sort(),
      [...missed, later].sort(),
    )
    assert.deepEqual(resumed.dataOf('reset'), [])
    resumed.close()
  })

  test('between two events of one row it resumes with the second', async () => {
    await using service = await startTestService({ kind })
    const listening = await listen(service.url, { key: service.apiKey })
    const ids = await Promise.all(Array.from({ length: 12 }, () => complete(service)))
    await until(() => listening.dataOf('generation').length === 12)
    const events = listening.events
    const at = events.findIndex(({ id }, n) => id.split('.')[0] === events[n + 1]?.id.split('.')[0])
    assert.ok(at >= 0, 'two requests were written together')
    const resumed = await listen(service.url, { key: service.apiKey, lastEventId: events[at]!.id })
    await until(() => resumed.dataOf('generation').length === 11 - at)
    assert.deepEqual(
      resumed.dataOf('generation').map(({ id }) => id),
      events.slice(at + 1).map(({ data }) => data.id),
    )
    assert.equal(new Set(ids).size, 12)
  })

  test('asks clients to reload lists if missed events are unknown', async () => {
    await using service = await startTestService({ kind })
    for (const lastEventId of ['999999999', 'nonsense', `${'9'.repeat(4000)}.1`, '-5', '1e3', '5.']) {
      const listening = await listen(service.url, { key: service.apiKey, lastEventId })
      await listening.waitFor('reset')
      const id = await complete(service)
      await listening.waitFor('generation', isOf(id))
      assert.equal(listening.dataOf('reset').length, 1, lastEventId)
      listening.close()
    }
  })

  test('sends only the requested types', async () => {
    await using service = await startTestService({ kind })
    const listening = await listen(service.url, { key: service.apiKey, query: '?types=intern,question' })
    const all = await listen(service.url, { key: service.apiKey })
    await all.waitFor('generation', isOf(await complete(service)))
    const { id } = (await service.ask('POST', '/interns', { body: { name: 'ada' } })).body
    assert.equal((await listening.waitFor('intern', isOf(id))).status, 'stopped')
    assert.deepEqual(listening.dataOf('generation'), [])
    assert.equal((await service.ask('GET', '/events?types=secrets')).status, 400)
  })

  test('an intern’s states are sent at once, and its questions until answered', async () => {
    await using service = await startTestService({ kind, settings: scripted })
    const listening = await listen(service.url, { key: service.apiKey })
    const { id } = await runningIntern(service, { agent: 'scripted' })
    await listening.waitFor('intern', ({ status }) => status === 'running')
    const turn = await say(service, id, 'permission shell allow_once reject_once\nsay on')
    const waiting = await listening.waitFor('question', ({ state }) => state === 'waiting')
    const [listed] = (await service.ask('GET', `/interns/${id}/questions`)).body.data
    for (const [name, value] of Object.entries(listed)) assert.deepEqual(waiting[name], value, name)
    assert.deepEqual([waiting.intern_id, waiting.intern_name], [id, 'ada'])
    await answer(service, id, turn, 'allow_once')
    const answered = await listening.waitFor('question', ({ state }) => state === 'answered')
    const { data: members } = (await service.manage('GET', '/organization/members')).body
    assert.deepEqual([answered.id, answered.answered_by], [waiting.id, members[0].id])
    await service.ask('DELETE', `/interns/${id}`)
    await listening.waitFor('intern', ({ status }) => status === 'deleted')
    const states = listening.dataOf('intern').map(({ status }) => status)
    assert.deepEqual(states.slice(0, 3), ['queued', 'provisioning', 'running'])
    listening.close()
  })

  test('a question ends at its deadline, and when its intern is suspended', async () => {
    let ahead = 0
    const now = () => Date.now() + ahead
    await using service = await startTestService({ kind, settings: scripted, now })
    const listening = await listen(service.url, { key: service.apiKey })
    const { id } = await runningIntern(service, { agent: 'scripted' })
    const asking = () => say(service, id, 'permission shell allow_once\nsay on')
    const [first, second] = [(await asking()).question!.id, (await asking()).question!.id]
    await service.ask('POST', `/interns/${id}/suspend`)
    const isEnd = (of: string) => (data: any) => data.id === of && data.state === 'ended'
    await listening.waitFor('question', isEnd(first))
    await listening.waitFor('question', isEnd(second))
    await service.ask('POST', `/interns/${id}/provision`)
    await untilIntern(service, id, 'running')
    const third = (await asking()).question!.id
    ahead = 2 * 86_400_000
    await listening.waitFor('question', isEnd(third))
    listening.close()
  })
})

onOneDatabase('receivers of events', (kind) => {
  test('a key receives events of the requests that it can list', async () => {
    await using service = await startTestService({ kind })
    const other = (await service.manage('POST', '/workspaces', { name: 'Other', slug: 'other' })).body.data.id
    const stranger = await addColleague(service, 'heidi', { workspace_id: other })
    const [own, foreign, all] = await Promise.all([
      listen(service.url, { key: service.apiKey }),
      listen(service.url, { key: stranger.key }),
      listen(service.url, { key: service.managementKey }),
    ])
    const id = await complete(service)
    const theirs = await complete(service, stranger.key)
    await own.waitFor('generation', isOf(id))
    await foreign.waitFor('generation', isOf(theirs))
    for (const one of [id, theirs]) await all.waitFor('generation', isOf(one))
    assert.deepEqual([own.dataOf('generation').length, foreign.dataOf('generation').length], [1, 1])
    for (const one of [own, foreign, all]) one.close()
  })

  test('events of an intern reach those who see it, questions those who can answer', async () => {
    await using service = await startTestService({ kind, settings: scripted })
    const grace = await addColleague(service)
    const graces = await listen(service.url, { key: grace.key })
    const others = await listen(service.url, { key: service.apiKey })
    const managers = await listen(service.url, { key: service.managementKey })
    const { id } = await runningIntern(grace, { agent: 'scripted' })
    await say(grace, id, 'permission shell allow_once\nsay on')
    const response = await graces.waitFor('question')
    assert.equal(response.operation, 'shell')
    const outline = await managers.waitFor('question')
    assert.deepEqual(
      [outline.id, outline.state, outline.operation, outline.kind],
      [response.id, 'waiting', undefined, 'permission'],
    )
    await managers.waitFor('intern', ({ status }) => status === 'running')
    await complete(service)
    await others.waitFor('generation')
    assert.deepEqual([others.dataOf('intern'), others.dataOf('question')], [[], []])
    for (const one of [graces, others, managers]) one.close()
  })

  test('a developer receives events of own and shared interns only', async () => {
    await using service = await startTestService({ kind, settings: scripted })
    const grace = await addColleague(service)
    await service.manage('PATCH', `/organization/members/${grace.userId}`, { access: 'developer' })
    const { token } = (await service.manage('POST', '/sessions/links', { user_id: grace.userId })).body.data
    const browser = await openBrowser(service, { link: token })
    const listening = [
      await listen(service.url, { key: grace.key }),
      await listen(service.url, { cookie: browser.cookie }),
    ]
    const question = 'permission shell allow_once\nsay on'
    const hidden = await runningIntern(service, { agent: 'scripted', name: 'hidden' })
    await say(service, hidden.id, question)
    const shared = await runningIntern(service, { agent: 'scripted', name: 'shared', visibility: 'workspace' })
    await say(service, shared.id, question)
    const own = await runningIntern(grace, { agent: 'scripted', name: 'own' })
    await say(grace, own.id, question)
    for (const one of listening) {
      await one.waitFor('question', ({ intern_id }) => intern_id === own.id)
      assert.deepEqual(new Set(one.dataOf('intern').map(({ name }) => name)), new Set(['shared', 'own']))
      assert.deepEqual(
        one.dataOf('question').map(({ intern_name, operation }) => [intern_name, operation]),
        [
          ['shared', 'shell'],
          ['own', 'shell'],
        ],
      )
      one.close()
    }
  })

  test('a stream needs a valid key; a disabled key ends its streams', async () => {
    await using service = await startTestService({ kind })
    assert.equal((await listen(service.url, {})).status, 401)
    const { body } = await service.manage('POST', '/keys', { name: 'short' })
    const listening = await listen(service.url, { key: body.key })
    await service.manage('PATCH', `/keys/${body.data.hash}`, { disabled: true })
    const { tookMs, allowedMs, result } = await timed(1000, () => endOf(listening))
    assert.ok(tookMs < allowedMs, `${tookMs} ms`)
    assert.equal(result.error.code, 401)
  })
})

test('a browser streams by its cookie, until it is signed out', async () => {
  await using service = await startTestService()
  const browser = await openBrowser(service, { key: service.managementKey })
  const listening = await listen(service.url, { cookie: browser.cookie })
  await listening.waitFor('generation', isOf(await complete(service)))
  assert.equal((await browser.ask('DELETE', '/sessions/current')).status, 200)
  const { tookMs, allowedMs, result } = await timed(1000, () => endOf(listening))
  assert.ok(tookMs < allowedMs, `${tookMs} ms`)
  assert.match(result.error.message, /session/)
})

test('another organization receives no events, and HEAD opens no stream', async () => {
  await using service = await startTestService()
  const other = await addOrganization(service.testStore)
  const [strangers, managers] = [
    await listen(service.url, { key: other.apiKey }),
    await listen(service.url, { key: other.managementKey }),
  ]
  const own = await listen(service.url, { key: service.apiKey })
  await own.waitFor('generation', isOf(await complete(service)))
  await complete(service, other.apiKey)
  await strangers.waitFor('generation')
  await managers.waitFor('generation')
  assert.deepEqual([strangers.dataOf('generation').length, managers.dataOf('generation').length], [1, 1])
  assert.equal((await service.ask('HEAD', '/events')).status, 405)
  for (const one of [strangers, managers, own]) one.close()
})

test('a server that stops waits for no stream of events', async () => {
  await using service = await startTestService({ settings: { shutdown_grace_ms: 60_000 } })
  const listening = await listen(service.url, { key: service.apiKey })
  const { tookMs, allowedMs } = await timed(20_000, async () => {
    await service.stop()
    await until(() => listening.ended())
  })
  assert.ok(tookMs < allowedMs, `${tookMs} ms`)
})

test('a thousand streams receive each request, and further ones are refused', async () => {
  await using service = await startTestService()
  const keys = [service.apiKey, service.managementKey]
  for (let n = 0; n < 8; n++) keys.push((await service.manage('POST', '/keys', { name: `k${n}` })).body.key)
  const streams = await Promise.all(
    Array.from({ length: 1000 }, (_, at) => listen(service.url, { key: keys[at % 10]!, query: '?types=generation' })),
  )
  assert.ok(streams.every(({ status }) => status === 200))
  const refused = await service.ask('GET', '/events')
  assert.deepEqual([refused.status, refused.body.error.code], [429, 429])
  const ids = await Promise.all(Array.from({ length: 10 }, () => complete(service)))
  for (const stream of streams) await until(() => stream.dataOf('generation').length === ids.length)
  assert.match((await service.manage('GET', '/metrics')).text, /^signalbox_event_streams 1000$/m)
  for (const stream of streams) stream.close()
  await until(async () => /^signalbox_event_streams 0$/m.test((await service.manage('GET', '/metrics')).text))
})

test('changes of a circuit are sent to managers: open, half-open, closed', async () => {
  const current = { behaviour: validResponses.ok! }
  let ahead = 0
  await using upstream = await startFaultyUpstream({ changing: (request: FaultyRequest) => current.behaviour(request) })
  current.behaviour = ({ socket }: FaultyRequest) => socket.resetAndDestroy()
  await using service = await startFaultyService(upstream, ['changing'], { now: () => Date.now() + ahead })
  const [managers, others] = [
    await listen(service.url, { key: service.managementKey }),
    await listen(service.url, { key: service.apiKey }),
  ]
  const ask = () =>
    service.ask('POST', '/chat/completions', {
      body: { model: 'faulty/changing', messages: [{ role: 'user', content: 'Hi' }] },
    })
  for (let n = 0; n < 12; n++) await ask()
  const open = await managers.waitFor('circuit', ({ state }) => state === 'open')
  assert.match(open.endpoint, /^faulty\/changing/)
  assert.ok(open.reason && Date.parse(open.until) > Date.now())
  current.behaviour = validResponses.ok!
  ahead = 120_000
  for (let n = 0; n < 40; n++) await ask()
  await managers.waitFor('circuit', ({ state }) => state === 'half_open')
  await managers.waitFor('circuit', ({ state }) => state === 'closed')
  assert.deepEqual(others.dataOf('circuit'), [])
  for (const one of [managers, others]) one.close()
})
