import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  daemonOf,
  type InternChatService,
  prompt,
  reply,
  startInternChatService,
} from '../../../harness/interns/intern-chat.ts'
import { answer, say, tryAnswer, trySay } from '../../../harness/interns/interns.ts'
import { timed, until } from '../../../harness/until.ts'

// One test for each row of the specification's table of a run's states.
describe('the states of a run', () => {
  let service: InternChatService
  before(async () => {
    service = await startInternChatService()
  })
  after(() => service[Symbol.asyncDispose]())

  const runs = async () => (await daemonOf(service, service.id).health()).runs

  test('(none) → running: the stream opens, and its first chunk has the role', async () => {
    const stream = await prompt(service, 'say hi\nwait 60000')
    assert.equal(stream.status, 200)
    const first = await stream.next()
    assert.deepEqual((first as any).choices, [
      { index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null },
    ])
    stream.leave()
    await until(async () => (await runs()) === 0)
  })

  test('running → finished: a finish chunk "stop", the final chunk, [DONE]', async () => {
    const events = (await (await prompt(service, 'say hi\nusage 3 2')).rest()) as any[]
    assert.deepEqual(events.at(-3).choices, [{ index: 0, delta: {}, finish_reason: 'stop' }])
    assert.deepEqual(events.at(-2).choices, [])
    assert.match(events.at(-2).session_id, /^[\w-]{36}$/)
    assert.deepEqual(events.at(-2).usage, { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 })
    assert.equal(events.at(-1), '[DONE]')
  })

  test('running → paused: tool call, finish "tool_calls", final without usage, [DONE]', async () => {
    const events = (await (await prompt(service, 'usage 3 2\npermission shell allow_once')).rest()) as any[]
    const [call, finish, final, done] = events.slice(-4)
    const [{ index, id, type, function: request }, ...others] = call.choices[0].delta.tool_calls
    assert.deepEqual([index, type, request.name, others], [0, 'function', 'service.provide_input', []])
    assert.match(id, /^[\w-]{36}$/)
    const choices = [{ id: 'allow_once-0', kind: 'allow_once', name: 'allow_once' }]
    const question = { kind: 'permission', operation: 'shell', options: ['allow_once'], choices }
    assert.deepEqual(JSON.parse(request.arguments), question)
    assert.deepEqual(finish.choices, [{ index: 0, delta: {}, finish_reason: 'tool_calls' }])
    assert.deepEqual([final.choices, final.usage, typeof final.session_id], [[], null, 'string'])
    assert.equal(done, '[DONE]')
  })

  test('paused, and the client closes at [DONE]: the run stays open', async () => {
    const stream = await prompt(service, 'permission shell allow_once\nsay on')
    const events: any[] = []
    while (events.at(-1) !== '[DONE]') events.push(await stream.next())
    stream.leave()
    const request = { sessionId: events.at(-2).session_id, question: events[1].choices[0].delta.tool_calls[0] }
    await new Promise((resolve) => setTimeout(resolve, 150))
    const turn = await answer(service, service.id, request as never, 'allow_once')
    assert.deepEqual([turn.text, turn.finish], ['[allow_once-0]on', 'stop'])
  })

  test('paused → running: the answer resumes the run with its id and mode', async () => {
    const turn = await say(service, service.id, 'say a\nmode\npermission shell allow_once reject_once\nmode')
    const reply = await answer(service, service.id, turn, 'reject_once')
    assert.deepEqual([turn.text, reply.text], ['a[manual]', '[reject_once-1][manual]'])
    assert.equal(reply.chunks[0].id, turn.chunks[0].id)
    assert.equal(reply.sessionId, turn.sessionId)
  })

  test('paused → ended: the deadline passes, and rejected replies do not extend it', async () => {
    await using hasty = await startInternChatService({ settings: { intern_question_ms: 600 } })
    const turn = await say(hasty, hasty.id, 'permission shell allow_once')
    // Each of these replies arrives sooner than the deadline after the previous one.
    await until(async () => {
      const wrong = await tryAnswer(hasty, hasty.id, turn, 'reject_once')
      if (wrong.status !== 409) assert.equal(wrong.status, 400)
      return (await daemonOf(hasty, hasty.id).health()).runs === 0
    })
    const late = await tryAnswer(hasty, hasty.id, turn, 'allow_once')
    assert.deepEqual([late.status, late.error?.metadata?.reason], [409, 'interaction_not_pending'])
    assert.equal((await say(hasty, hasty.id, 'say free', { session_id: turn.sessionId })).text, 'free')
  })

  test('running → ended: the client disconnects, and the run is cancelled within 100 ms', async () => {
    const stream = await prompt(service, 'say hi\nwait 60000')
    await stream.next()
    await stream.next()
    const others = (await runs()) - 1
    const { tookMs, allowedMs } = await timed(100, async () => {
      stream.leave()
      await until(async () => (await runs()) === others)
    })
    assert.ok(tookMs < allowedMs, `it took ${tookMs} ms`)
  })

  test('running → ended: error chunk 410 run_ended, final chunk, [DONE]', async () => {
    const events = (await (await prompt(service, 'say hi\nusage 1 1\nquit')).rest()) as any[]
    const [finish, final, done] = events.slice(-3)
    assert.equal(finish.choices[0].finish_reason, 'error')
    assert.deepEqual([finish.error.code, finish.error.metadata], [410, { reason: 'run_ended', retryable: false }])
    assert.deepEqual([final.choices, final.usage.total_tokens, done], [[], 2, '[DONE]'])
  })

  test('running → ended: the connection breaks; error chunk stream_severed', async () => {
    const turn = await trySay(service, service.id, 'say hi\ncrash')
    assert.deepEqual([turn.status, turn.finish, turn.error?.code], [200, 'error', 502])
    assert.deepEqual(turn.error?.metadata, { reason: 'stream_severed', retryable: true })
    assert.equal(typeof turn.sessionId, 'string')
  })

  test('running → ended: a failure after the 200; error chunk, final chunk, [DONE]', async () => {
    const events = (await (await prompt(service, 'say hi\nfail the model is gone')).rest()) as any[]
    const [finish, final, done] = events.slice(-3)
    assert.deepEqual(finish.choices, [{ index: 0, delta: {}, finish_reason: 'error' }])
    const metadata = { reason: 'turn_failed', retryable: false }
    assert.deepEqual(finish.error, { code: 502, message: 'the model is gone', metadata })
    assert.deepEqual([final.choices, final.usage, typeof final.session_id, done], [[], null, 'string', '[DONE]'])
  })

  test('the mode of a run is not remembered by its session', async () => {
    const first = await say(service, service.id, 'mode')
    const content = 'mode\npermission shell allow_once'
    const messages = [{ role: 'user', content }]
    const second = await say(service, service.id, '', {
      approval_mode: undefined,
      session_id: first.sessionId,
      messages,
    })
    assert.deepEqual([first.text, second.text, second.finish], ['[manual]', '[self-drive][allow_once-0]', 'stop'])
  })

  test('self-drive consents once each, and questions are still asked', async () => {
    const selfDrive = { approval_mode: 'self-drive' }
    const script = 'permission shell allow_always allow_once\nask {"type":"object","properties":{}}'
    const turn = await say(service, service.id, script, selfDrive)
    assert.deepEqual([turn.text, turn.question?.arguments.kind], ['[allow_once-1]', 'elicitation'])
    assert.equal((await answer(service, service.id, turn, '{"action":"decline"}')).finish, 'stop')
  })

  test('concurrent questions are asked one after another', async () => {
    const first = await say(service, service.id, 'permissions allow_once reject_once')
    const second = await answer(service, service.id, first, 'allow_once')
    assert.deepEqual([first.question?.arguments.operation, second.question?.arguments.operation], ['first', 'second'])
    const events = await (await reply(service, second, 'reject_once')).rest()
    assert.equal((events[1] as any).choices[0].delta.content, '[allow_once-0, reject_once-1]')
  })
})
