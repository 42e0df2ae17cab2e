import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { onOneDatabase } from '../../../harness/database/databases.ts'
import {
  type InternChatService,
  prompt,
  scripted,
  startInternChatService,
} from '../../../harness/interns/intern-chat.ts'
import { answer, runningIntern, say, untilIntern } from '../../../harness/interns/interns.ts'
import { listen } from '../../../harness/service/events.ts'
import { startTestService } from '../../../harness/service/service.ts'
import { addColleague } from '../../../harness/service/world/colleague.ts'
import { until } from '../../../harness/until.ts'

const work = 'say before\nplan read, write\nwork edit a.txt {"before": "x\\n", "after": "y\\n"}\nsay after'

onOneDatabase('transcripts of an intern', (kind) => {
  test('are listed with starter and answerer, for those who see the intern', async () => {
    await using service = await startTestService({ kind, settings: scripted })
    const { id } = await runningIntern(service, { agent: 'scripted', visibility: 'workspace' })
    const grace = await addColleague(service)
    const turn = await say(service, id, `${work}\npermission shell allow_once`)
    const reply = await answer({ ...service, ask: grace.ask }, id, turn, 'allow_once')
    assert.equal(reply.finish, 'stop')
    const { body: list } = await grace.ask('GET', `/interns/${id}/sessions`)
    assert.deepEqual(
      list.data.map((session: any) => [session.id, session.status, session.turns, session.title]),
      [[turn.sessionId, 'idle', 1, 'say before']],
    )
    const path = `/interns/${id}/sessions/${turn.sessionId}`
    const { session, entries } = (await service.ask('GET', path)).body.data
    assert.equal(session.id, turn.sessionId)
    const types = ['prompt', 'message', 'plan', 'tool_call', 'message', 'question', 'message', 'end']
    assert.deepEqual(
      entries.map(({ type }: { type: string }) => type),
      types,
    )
    const [question, first] = [entries[5], entries[0]]
    assert.deepEqual([question.state, question.answer], ['answered', 'allow_once'])
    assert.notEqual(question.answered_by_user_id, first.by_user_id)
    assert.equal(question.answered_by_user_name, 'grace')
    assert.equal(entries[3].changes[0].diff, '--- a.txt\n+++ a.txt\n@@ -1,1 +1,1 @@\n-x\n+y')
    await service.ask('PATCH', `/interns/${id}`, { body: { visibility: 'creator' } })
    for (const hidden of [path, `/interns/${id}/sessions`, `${path}/events`])
      assert.equal((await grace.ask('GET', hidden)).status, 404)
  })
})

describe('a session of an intern', () => {
  let service: InternChatService
  before(async () => {
    service = await startInternChatService()
  })
  after(() => service[Symbol.asyncDispose]())
  const follow = (sessionId: string | undefined, lastEventId?: string) =>
    listen(service.url, {
      key: service.apiKey,
      path: `/interns/${service.id}/sessions/${sessionId}/events`,
      ...(lastEventId !== undefined && { lastEventId }),
    })

  test('is returned in pages', async () => {
    const { sessionId } = await say(service, service.id, work, { approval_mode: 'self-drive' })
    const path = `/interns/${service.id}/sessions/${sessionId}?limit=4`
    const first = (await service.ask('GET', path)).body
    assert.deepEqual([first.data.entries.length, first.has_more], [4, true])
    const rest = (await service.ask('GET', `${path}&starting_after=${first.next_cursor}`)).body
    assert.deepEqual([rest.data.entries.map(({ type }: any) => type), rest.has_more], [['message', 'end'], false])
  })

  test('that are missing are 404, and an invalid cursor is 400', async () => {
    const path = `/interns/${service.id}/sessions/none`
    for (const each of [path, `${path}/events`]) assert.equal((await service.ask('GET', each)).status, 404)
    assert.equal((await service.ask('GET', `${path}?starting_after=x`)).status, 400)
  })

  test('is heard as it happens, and from the last event on after a break', async () => {
    const { sessionId } = await say(service, service.id, 'say one')
    const first = await follow(sessionId)
    const streaming = await prompt(service, 'stream 20 20\nsay end', { session_id: sessionId })
    const piece = await first.waitFor('text', ({ text }) => text === 'word3 ')
    assert.equal(piece.offset, 'word0 word1 word2 '.length)
    first.close()
    await streaming.rest()
    const second = await follow(sessionId, first.lastId())
    const end = await second.waitFor('entry', ({ type }) => type === 'end')
    assert.equal(end.outcome, 'finished')
    const entriesWith = second
      .dataOf('entry')
      .map(({ type, text }) => [type, type === 'message' && text.endsWith('word19 end')])
    assert.deepEqual(entriesWith.slice(-2), [
      ['message', true],
      ['end', false],
    ])
    assert.ok(second.dataOf('entry').every(({ text }) => text !== 'one'))
    second.close()
  })

  test('stop for a follower who loses access', async () => {
    const { id } = await runningIntern(service, { name: 'shared', agent: 'scripted', visibility: 'workspace' })
    const { sessionId } = await say(service, id, 'say hi')
    const grace = await addColleague(service)
    const path = `/interns/${id}/sessions/${sessionId}/events`
    const listening = await listen(service.url, { key: grace.key, path })
    await listening.waitFor('entry')
    await service.ask('PATCH', `/interns/${id}`, { body: { visibility: 'creator' } })
    await until(() => listening.ended())
    assert.match(listening.text(), /event: end/)
  })

  test('of a stopped intern can be read, and is followed only while it runs', async () => {
    const { id } = await runningIntern(service, { name: 'resting', agent: 'scripted' })
    const { sessionId } = await say(service, id, 'say hi')
    const running = (await service.ask('GET', `/interns/${id}/sessions/${sessionId}`)).body
    await service.ask('POST', `/interns/${id}/suspend`)
    await untilIntern(service, id, 'stopped')
    const { body } = await service.ask('GET', `/interns/${id}/sessions`)
    assert.deepEqual(
      body.data.map((session: any) => session.id),
      [sessionId],
    )
    const path = `/interns/${id}/sessions/${sessionId}`
    assert.deepEqual((await service.ask('GET', path)).body, running)
    assert.equal((await service.ask('GET', `/interns/${id}/sessions/none`)).status, 404)
    // A page of the console requests the list again after an event, while the previous answer is still being read.
    const atOnce = await Promise.all(Array.from({ length: 6 }, () => service.ask('GET', path)))
    assert.deepEqual(new Set(atOnce.map(({ text }) => text)), new Set([JSON.stringify(running)]))
    const followed = await service.ask('GET', `${path}/events`)
    assert.deepEqual([followed.status, /is stopped/.test(followed.body.error.message)], [409, true])
    await service.ask('POST', `/interns/${id}/provision`)
    await untilIntern(service, id, 'running')
    assert.equal((await say(service, id, 'say again', { session_id: sessionId })).text, 'again')
  })

  test('adds its work to the reply on request; the rest is byte-identical', async () => {
    const entriesWith = async (more: object) => {
      const { chunks } = await say(service, service.id, work, { approval_mode: 'self-drive', ...more })
      return chunks.map(({ id: _, created: __, session_id: ___, ...rest }) => rest)
    }
    const plain = await entriesWith({})
    const whole = await entriesWith({ stream_options: { include_activity: true } })
    assert.deepEqual(
      whole.filter(({ activity }) => !activity).map((chunk) => JSON.stringify(chunk)),
      plain.map((chunk) => JSON.stringify(chunk)),
    )
    const activities = whole.flatMap(({ activity }) => activity ?? [])
    assert.deepEqual(
      activities.map(({ type, status }) => [type, status]),
      [['plan', undefined], ...['in_progress', 'in_progress', 'completed'].map((status) => ['tool_call', status])],
    )
    assert.deepEqual(activities.at(-1).changes[0].path, 'a.txt')
    const chunk = whole.find(({ activity }) => activity)
    assert.deepEqual(chunk.choices, [{ index: 0, delta: {}, finish_reason: null }])
  })
})

test('a session is heard on after the server was restarted, from where it was', async () => {
  const first = await startInternChatService({ settings: { keep_interns_running: 'true' } as never })
  const { sessionId } = await say(first, first.id, 'say one')
  const path = `/interns/${first.id}/sessions/${sessionId}/events`
  const listening = await listen(first.url, { key: first.apiKey, path })
  await listening.waitFor('entry', ({ type }) => type === 'end')
  listening.close()
  await first.stop()
  const settings = { ...scripted, intern_users_from: 0 } as never
  await using second = await startTestService({ testStore: first.testStore, settings })
  await untilIntern(second, first.id, 'running')
  await say(second, first.id, 'say two', { session_id: sessionId })
  const resumed = await listen(second.url, { key: second.apiKey, path, lastEventId: listening.lastId() })
  await resumed.waitFor('entry', ({ type }) => type === 'end')
  assert.deepEqual(
    resumed.dataOf('entry').map(({ type, text }) => (type === 'message' ? text : type)),
    ['prompt', 'two', 'end'],
  )
  resumed.close()
})
