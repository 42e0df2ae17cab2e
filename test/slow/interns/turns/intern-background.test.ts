import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { onOneDatabase } from '../../../harness/database/databases.ts'
import {
  type InternChatService,
  prompt,
  scripted,
  startInternChatService,
} from '../../../harness/interns/intern-chat.ts'
import {
  answer,
  daemonPid,
  type InternReply,
  runningIntern,
  say,
  untilIntern,
} from '../../../harness/interns/interns.ts'
import { openBrowser } from '../../../harness/service/browser-client.ts'
import { listen } from '../../../harness/service/events.ts'
import { startTestService, type TestService } from '../../../harness/service/service.ts'
import { addColleague } from '../../../harness/service/world/colleague.ts'
import { until } from '../../../harness/until.ts'

type Asking = Pick<TestService, 'ask'>

/** A prompt without a waiting caller. */
async function begin(service: Asking, id: string, content: string, more: object = {}) {
  const body = { background: true, approval_mode: 'manual', messages: [{ role: 'user', content }], ...more }
  return service.ask('POST', `/interns/${id}/chat/completions`, { body })
}

const runOf = async (service: Asking, id: string, run: string) =>
  (await service.ask('GET', `/interns/${id}/runs/${run}`)).body.data

const ended = (service: Asking, id: string, run: string) =>
  until(async () => {
    const found = await runOf(service, id, run)
    return found.status === 'ended' && found
  })

/** The question of a waiting run, as a reply would have contained it. */
async function waitForQuestion(service: Asking, id: string, run: string): Promise<InternReply> {
  const { session_id, question_id } = await until(async () => {
    const found = await runOf(service, id, run)
    return found.status === 'waiting' && found
  })
  return { sessionId: session_id, question: { id: question_id, arguments: { kind: 'permission' } } } as InternReply
}

onOneDatabase('a run in the background', (kind) => {
  test('gets 202 once started, continues by itself, and is listed with its details', async () => {
    await using service = await startTestService({ kind, settings: scripted })
    const { id, creator_user_id: me } = await runningIntern(service, { agent: 'scripted', visibility: 'workspace' })
    const { status, body } = await begin(service, id, 'say one\nwait 300\nsay two\nusage 7 3')
    assert.equal(status, 202)
    const { id: run, session_id } = body.data
    assert.deepEqual([body.data.status, body.data.background, body.data.started_by_user_id], ['running', true, me])
    const done = await ended(service, id, run)
    assert.deepEqual([done.outcome, done.error, done.usage.prompt_tokens], ['finished', null, 7])
    assert.ok(done.ended_at > done.created_at)
    const { entries } = (await service.ask('GET', `/interns/${id}/sessions/${session_id}`)).body.data
    assert.equal(entries.find(({ type }: any) => type === 'message').text, 'onetwo')
    const grace = await addColleague(service)
    assert.equal((await grace.ask('GET', `/interns/${id}/runs/${run}`)).status, 200)
    await service.ask('PATCH', `/interns/${id}`, { body: { visibility: 'creator' } })
    for (const hidden of [`/interns/${id}/runs`, `/interns/${id}/runs/${run}`])
      assert.equal((await grace.ask('GET', hidden)).status, 404)
  })

  test('asks without a listener, and continues with the answer', async () => {
    await using service = await startTestService({ kind, settings: scripted })
    const { id } = await runningIntern(service, { agent: 'scripted' })
    const run = (await begin(service, id, 'permission shell allow_once\nsay done')).body.data.id
    const waiting = await waitForQuestion(service, id, run)
    const { body } = await until(async () => {
      const listed = await service.ask('GET', `/interns/${id}/questions`)
      return listed.body.data.length > 0 && listed
    })
    assert.equal(body.data[0].id, waiting.question?.id)
    const turn = await answer(service, id, waiting, 'allow_once')
    assert.deepEqual([turn.finish, /done/.test(turn.text)], ['stop', true])
    const done = await ended(service, id, run)
    assert.deepEqual([done.outcome, done.question_id, done.background], ['finished', null, true])
  })

  test('continues while the server is down, and the next one reports the end', async () => {
    const settings = { ...scripted, keep_interns_running: 'true' as never }
    await using service = await startTestService({ kind, settings })
    const { id } = await runningIntern(service, { agent: 'scripted' })
    const run = (await begin(service, id, 'wait 1500\nsay late')).body.data.id
    await service.stop()
    await using next = await startTestService({ testStore: service.testStore, settings })
    const done = await ended(next, id, run)
    assert.deepEqual([done.outcome, done.session_id.length > 0], ['finished', true])
    await next.ask('POST', `/interns/${id}/suspend`)
  })

  test('ends with the key or the access of its starter; those of others continue', async () => {
    await using service = await startTestService({ kind, settings: scripted })
    const { id } = await runningIntern(service, { agent: 'scripted', visibility: 'workspace' })
    const others = (await begin(service, id, 'wait 600000')).body.data.id
    const soon = () => new Date(Date.now() + 1500).toISOString()
    const ends: [string, (by: { hash: string; userId: string }) => Promise<{ status: number }>][] = [
      ['disabled', ({ hash }) => service.manage('PATCH', `/keys/${hash}`, { disabled: true })],
      ['deleted', ({ hash }) => service.manage('DELETE', `/keys/${hash}`)],
      ['expires', ({ hash }) => service.manage('PATCH', `/keys/${hash}`, { expires_at: soon() })],
      ['leaves', ({ userId }) => service.manage('DELETE', `/organization/members/${userId}`)],
      ['unseen', () => service.ask('PATCH', `/interns/${id}`, { body: { visibility: 'creator' } })],
    ]
    for (const [name, end] of ends) {
      const grace = await addColleague(service, name)
      const started = await begin(grace, id, 'wait 600000')
      assert.equal(started.status, 202, JSON.stringify(started.body))
      assert.ok((await end(grace)).status < 300, name)
      assert.equal((await ended(service, id, started.body.data.id)).outcome, 'cancelled', name)
    }
    assert.equal((await runOf(service, id, others)).status, 'running')
  })

  test('started by a signed-in member continues after sign-out and ends on removal', async () => {
    await using service = await startTestService({ kind, settings: scripted })
    const { id } = await runningIntern(service, { agent: 'scripted', visibility: 'workspace' })
    const { userId } = await addColleague(service)
    const link = await service.manage('POST', '/sessions/links', { user_id: userId })
    const grace = await openBrowser(service, { link: link.body.data.token })
    const body = { background: true, approval_mode: 'manual', messages: [{ role: 'user', content: 'wait 600000' }] }
    const started = await grace.ask('POST', `/interns/${id}/chat/completions`, { body })
    assert.equal(started.status, 202, started.text)
    const run = started.body.data.id
    assert.ok((await grace.ask('DELETE', '/sessions/current')).status < 300)
    await service.manage('POST', '/keys', { name: 'something changes' })
    assert.equal((await runOf(service, id, run)).status, 'running')
    assert.ok((await service.manage('DELETE', `/organization/members/${userId}`)).status < 300)
    assert.equal((await ended(service, id, run)).outcome, 'cancelled')
  })

  test('ends with the key that resumed it by an answer', async () => {
    await using service = await startTestService({ kind, settings: scripted })
    const { id } = await runningIntern(service, { agent: 'scripted', visibility: 'workspace' })
    const grace = await addColleague(service)
    const started = await say({ ...service, ...grace }, id, 'permission shell allow_once\nwait 600000')
    const messages = [{ role: 'tool', tool_call_id: started.question!.id, content: 'allow_once' }]
    const body = { background: true, session_id: started.sessionId, messages }
    const missing = await grace.ask('POST', `/interns/${id}/chat/completions`, { body })
    assert.equal(missing.status, 202, JSON.stringify(missing.body))
    await service.manage('DELETE', `/keys/${grace.hash}`)
    assert.equal((await ended(service, id, missing.body.data.id)).outcome, 'cancelled')
  })

  test('started by a signed-in member ends when they lose access to the intern', async () => {
    await using service = await startTestService({ kind, settings: scripted })
    const { id } = await runningIntern(service, { agent: 'scripted', visibility: 'workspace' })
    const { userId } = await addColleague(service)
    const link = await service.manage('POST', '/sessions/links', { user_id: userId })
    const grace = await openBrowser(service, { link: link.body.data.token })
    const ends = [
      () => service.manage('PATCH', `/organization/members/${userId}`, { access: 'viewer' }),
      () => service.ask('PATCH', `/interns/${id}`, { body: { visibility: 'creator' } }),
    ]
    const body = { background: true, approval_mode: 'manual', messages: [{ role: 'user', content: 'wait 600000' }] }
    for (const end of ends) {
      await service.manage('PATCH', `/organization/members/${userId}`, { access: 'developer' })
      const started = await grace.ask('POST', `/interns/${id}/chat/completions`, { body })
      assert.equal(started.status, 202, started.text)
      assert.ok((await end()).status < 300)
      assert.equal((await ended(service, id, started.body.data.id)).outcome, 'cancelled')
    }
  })

  test('whose daemon dies have ended, and say so', async () => {
    await using service = await startTestService({ kind, settings: scripted })
    const { id } = await runningIntern(service, { agent: 'scripted' })
    const run = (await begin(service, id, 'wait 600000')).body.data.id
    process.kill(daemonPid(service.testStore.settings.data_dir, id), 'SIGKILL')
    const done = await ended(service, id, run)
    assert.equal(done.outcome, 'severed')
    assert.match(done.error, /daemon was killed by SIGKILL/)
  })
})

test('two servers report the same state of a run', {
  skip: process.env.TEST_DATABASE_URL ? false : 'TEST_DATABASE_URL is not set',
}, async () => {
  await using one = await startTestService({ kind: 'postgres', settings: scripted })
  await using other = await startTestService({ testStore: one.testStore, settings: scripted })
  const { id } = await runningIntern(one, { agent: 'scripted' })
  for (const [begins, answers] of [
    [one, other],
    [other, one],
  ] as const) {
    const run = (await begin(begins, id, 'permission shell allow_once\nsay done')).body.data.id
    const waiting = await waitForQuestion(answers, id, run)
    assert.equal((await answer(answers, id, waiting, 'allow_once')).finish, 'stop')
    assert.deepEqual(await ended(one, id, run), await ended(other, id, run))
  }
  const listed = (await other.ask('GET', `/interns/${id}/runs`)).body.data
  assert.deepEqual([listed.length, new Set(listed.map((run: any) => run.outcome))], [2, new Set(['finished'])])
})

describe('runs of an intern', () => {
  let service: InternChatService
  before(async () => {
    service = await startInternChatService()
  })
  after(() => service[Symbol.asyncDispose]())
  const list = async (query = '') => (await service.ask('GET', `/interns/${service.id}/runs${query}`)).body

  test('that are not in the background end when their caller leaves, as ever', async () => {
    const stream = await prompt(service, 'say hi\nwait 600000', { session_id: 'left' })
    await stream.next()
    stream.leave()
    const [run] = await until(async () => {
      const { data } = await list('?session_id=left&status=ended')
      return data.length === 1 && data
    })
    assert.deepEqual([run.outcome, run.background], ['disconnected', false])
  })

  test('continue in the background after a disconnect, and can be followed', async () => {
    const stream = await prompt(service, 'say started\nwait 700\nsay over', { background: true, session_id: 'heard' })
    assert.equal(stream.status, 200)
    await stream.next()
    stream.leave()
    const path = `/interns/${service.id}/sessions/heard/events`
    const first = await listen(service.url, { key: service.apiKey, path })
    await first.waitFor('entry', ({ type }) => type === 'prompt')
    first.close()
    const { id: lastEventId } = first.events.find(({ type, data }) => type === 'entry' && data.type === 'prompt')!
    const second = await listen(service.url, { key: service.apiKey, path, lastEventId })
    const end = await second.waitFor('entry', ({ type }) => type === 'end')
    assert.equal(end.outcome, 'finished')
    second.close()
  })

  test('in the background do not store output without bound', async () => {
    const { data } = (await begin(service, service.id, 'talk 3000000 permission shell allow_once\nsay end')).body
    const turn = await answer(service, service.id, await waitForQuestion(service, service.id, data.id), 'allow_once')
    assert.deepEqual([turn.finish, turn.text.slice(-3)], ['stop', 'end'])
    assert.equal((await ended(service, service.id, data.id)).outcome, 'finished')
  })

  test('are also started in a session without a reply', async () => {
    const path = `/interns/${service.id}/sessions/named/chat/completions`
    const messages = [{ role: 'user', content: 'say hi' }]
    const { status, body } = await service.ask('POST', path, { body: { background: true, messages } })
    assert.deepEqual([status, body.data.session_id], [202, 'named'])
    assert.equal((await ended(service, service.id, body.data.id)).outcome, 'finished')
  })

  test('are listed page by page, and by state, session and kind', async () => {
    for (const name of ['p1', 'p2', 'p3']) await say(service, service.id, `say ${name}`, { session_id: name })
    await until(async () => (await list('?session_id=p3&status=ended')).data.length === 1)
    const first = await list('?limit=2')
    assert.deepEqual([first.data.length, first.has_more], [2, true])
    const rest = await list(`?limit=500&starting_after=${first.next_cursor}`)
    const ids = [...first.data, ...rest.data].map(({ id }: any) => id)
    assert.equal(new Set(ids).size, (await list('?limit=500')).data.length)
    const of = async (query: string) => (await list(query)).data.map((run: any) => run.background)
    assert.ok((await of('?background=true')).every((one: boolean) => one))
    assert.ok((await of('?background=false')).every((one: boolean) => !one))
    for (const wrong of ['starting_after=none', 'status=odd', 'background=maybe'])
      assert.equal((await service.ask('GET', `/interns/${service.id}/runs?${wrong}`)).status, 400)
    assert.equal((await service.ask('GET', `/interns/${service.id}/runs/none`)).status, 404)
  })

  test('can be cancelled once, and the audit log has the member', async () => {
    const { id: run } = (await begin(service, service.id, 'wait 600000')).body.data
    const path = `/interns/${service.id}/runs/${run}/cancel`
    assert.deepEqual((await service.ask('POST', path)).body, { cancelled: true })
    assert.equal((await ended(service, service.id, run)).outcome, 'cancelled')
    assert.equal((await service.ask('POST', path)).status, 409)
    const { data } = (await service.manage('GET', '/audit?action=intern.turn_cancelled')).body
    const result = data.filter(({ after }: any) => after.run_id === run)
    assert.deepEqual(
      result.map(({ target, after }: any) => [target.id, after.session_id !== '', after.started_by_user_id]),
      [[service.id, true, result[0].actor.user_id]],
    )
  })

  test('that are refused say why, also without stream and background', async () => {
    const { id: run } = (await begin(service, service.id, 'wait 600000', { session_id: 'busy' })).body.data
    const second = await begin(service, service.id, 'say hi', { session_id: 'busy' })
    assert.deepEqual([second.status, second.body.error.metadata.reason], [409, 'busy'])
    await service.ask('POST', `/interns/${service.id}/runs/${run}/cancel`)
    const plain = { messages: [{ role: 'user', content: 'say hi' }] }
    for (const more of [{}, { stream: false }, { stream: 'yes' }, { background: false }]) {
      const path = `/interns/${service.id}/chat/completions`
      const { status, body } = await service.ask('POST', path, { body: { ...plain, ...more } })
      const message = 'Invalid request: stream: must be true, unless `background` is true or the path names a session'
      assert.deepEqual([status, body.error.message], [400, message])
    }
  })

  test('of an intern that is stopped have ended with it', async () => {
    const { id } = await runningIntern(service, { name: 'resting', agent: 'scripted' })
    const { id: run } = (await begin(service, id, 'wait 600000')).body.data
    await service.ask('POST', `/interns/${id}/suspend`)
    await untilIntern(service, id, 'stopped')
    const { outcome, error } = await ended(service, id, run)
    assert.deepEqual([outcome, error], ['cancelled', 'The intern was stopped.'])
  })
})
