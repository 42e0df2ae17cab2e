import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, before, describe, test } from 'node:test'
import {
  daemonOf,
  type InternChatService,
  open,
  prompt,
  startInternChatService,
} from '../../../harness/interns/intern-chat.ts'
import { answer, runningIntern, say, tryAnswer } from '../../../harness/interns/interns.ts'
import { timed, until } from '../../../harness/until.ts'

describe('the stream of a reply', () => {
  let service: InternChatService
  before(async () => {
    service = await startInternChatService({ settings: { intern_heartbeat_ms: 60 } })
  })
  after(() => service[Symbol.asyncDispose]())

  const health = () => daemonOf(service, service.id).health()

  test('role, content, reasoning, finish, final and [DONE] have one id', async () => {
    const stream = await prompt(service, 'think so\nsay hello\nwait 30\nsay bye')
    assert.match(stream.headers.get('content-type') ?? '', /^text\/event-stream/)
    // A busy machine can be silent for longer than a heartbeat.
    const events = ((await stream.rest()) as any[]).filter((event) => event !== ': keepalive')
    const deltas = events.slice(0, -1).map(({ choices }) => choices[0]?.delta)
    assert.deepEqual(deltas, [
      { role: 'assistant', content: '' },
      { reasoning: 'so' },
      { content: 'hello' },
      { content: 'bye' },
      {},
      undefined,
    ])
    const chunks = events.slice(0, -1)
    assert.equal(new Set(chunks.map(({ id, created }) => `${id} ${created}`)).size, 1)
    assert.match(chunks[0].id, /^chatcmpl-[\w-]{36}$/)
    for (const chunk of chunks) assert.equal(chunk.object, 'chat.completion.chunk')
    assert.ok(Math.abs(chunks[0].created - Date.now() / 1000) < 120)
    assert.deepEqual(
      chunks.map((chunk) => 'session_id' in chunk || 'usage' in chunk),
      [false, false, false, false, false, true],
    )
  })

  test('every chunk names the reported model, and the last that of the run', async () => {
    const { chunks } = await say(service, service.id, 'say hi\nmodel other/two')
    assert.deepEqual([chunks[0].model, chunks.at(-1).model], ['scripted/one', 'other/two'])
  })

  test('a silent stream gets keep-alive comments', async () => {
    const events = await (await prompt(service, 'say a\nwait 400\nsay b')).rest()
    const comments = events.filter((event) => event === ': keepalive')
    assert.ok(comments.length >= 1, `${comments.length} comments`)
  })

  test('the heartbeat does not start a reply before its turn has started', async () => {
    const stream = await prompt(service, 'wait 200\nrefuse too late')
    assert.equal(stream.status, 502)
  })

  test('the response ends at once after [DONE], also when the run waits', async () => {
    for (const script of ['say hi', 'permission shell allow_once']) {
      const stream = await prompt(service, script)
      let event: unknown
      do event = await stream.next()
      while (event !== '[DONE]')
      const { tookMs, allowedMs } = await timed(100, async () => assert.equal(await stream.next(), undefined))
      assert.ok(tookMs < allowedMs, `it took ${tookMs} ms`)
    }
  })

  test('a client that closes its connection at [DONE] has not disconnected', async () => {
    const before = (await health()).waiting
    for (let round = 0; round < 5; round++) await closeAt(service, 'permission shell allow_once', '[DONE]')
    await new Promise((resolve) => setTimeout(resolve, 150))
    assert.equal((await health()).waiting, Math.min(before + 5, 8))
    await service.ask('POST', `/interns/${service.id}/suspend`)
    await service.ask('POST', `/interns/${service.id}/provision`)
    await until(async () => (await service.ask('GET', `/interns/${service.id}`)).body.status === 'running')
  })

  test('a client that leaves during silent work ends the run within 100 ms', async () => {
    const stream = await prompt(service, 'say hi\ntool shell sleep\nwait 60000')
    await stream.next()
    await stream.next()
    await new Promise((resolve) => setTimeout(resolve, 100))
    const { tookMs, allowedMs } = await timed(100, async () => {
      stream.leave()
      await until(async () => (await health()).runs === 0)
    })
    assert.ok(tookMs < allowedMs, `it took ${tookMs} ms`)
  })

  test('a client that leaves while its answer is being carried out ends the run', async () => {
    const turn = await say(service, service.id, 'permission shell allow_once\nsay on\nwait 60000')
    const stream = await open(service, service.id, {
      session_id: turn.sessionId,
      messages: [{ role: 'tool', tool_call_id: turn.question?.id, content: 'allow_once' }],
    })
    await stream.next()
    stream.leave()
    await until(async () => (await health()).runs === 0)
    const late = await tryAnswer(service, service.id, turn, 'allow_once')
    assert.equal(late.error?.metadata?.reason, 'interaction_not_pending')
  })

  test('events without a listener are stored, and sent first when the run resumes', async () => {
    const turn = await say(service, service.id, 'talk 3000 permission shell allow_once\nsay end')
    const { text } = await answer(service, service.id, turn, 'allow_once')
    assert.equal(text, `${'x'.repeat(3000)}[allow_once-0]end`)
  })

  test('an intern is stopped while a reply streams: run_ended', async () => {
    const stream = await prompt(service, 'say hi\nwait 60000')
    await stream.next()
    await stream.next()
    await service.ask('POST', `/interns/${service.id}/suspend`)
    const events = (await stream.rest()).filter((event) => event !== ': keepalive') as any[]
    assert.deepEqual(events[0].error.metadata, { reason: 'run_ended', retryable: false })
    assert.deepEqual([events.length, events.at(-1)], [3, '[DONE]'])
  })
})

test('the dialect changes the tool’s name and the fallback model, and nothing else', async () => {
  await using service = await startInternChatService({ settings: { dialect: 'openrouter' } })
  const { chunks } = await say(service, service.id, 'permission shell allow_once')
  const names = chunks.flatMap(({ choices }) => choices[0]?.delta.tool_calls?.[0].function.name ?? [])
  assert.deepEqual(names, ['openrouter.provide_input'])
})

test('allow_always lasts for the session, and not for another', async () => {
  await using service = await startInternChatService()
  const { id } = await runningIntern(service, { name: 'builtin' })
  const turn = await say(service, id, 'run: echo one')
  assert.ok(turn.question?.arguments.options?.includes('allow_always'))
  assert.match((await answer(service, id, turn, 'allow_always')).text, /one/)
  const second = await say(service, id, 'run: echo two', { session_id: turn.sessionId })
  assert.deepEqual([second.finish, /two/.test(second.text)], ['stop', true])
  assert.equal((await say(service, id, 'run: echo three')).finish, 'tool_calls')
})

test('the builtin agent: leaving the sandbox needs a permission, and continues without', async () => {
  await using service = await startInternChatService()
  const { id } = await runningIntern(service, { name: 'builtin' })
  const shell = await say(service, id, 'escalate')
  assert.equal(shell.question?.arguments.operation, 'shell')
  const leave = await answer(service, id, shell, 'allow_once')
  assert.equal(leave.question?.arguments.operation, 'shell.escalate')
  assert.match((await answer(service, id, leave, 'reject_once')).text, /So I leave it/)
})

/** Closes the connection as soon as these words have arrived. */
function closeAt({ url, apiKey, id }: InternChatService, content: string, words: string): Promise<void> {
  const { hostname, port, pathname } = new URL(url)
  const body = JSON.stringify({ stream: true, approval_mode: 'manual', messages: [{ role: 'user', content }] })
  const head = [
    `POST ${pathname}/interns/${id}/chat/completions HTTP/1.1`,
    `host: ${hostname}`,
    `authorization: Bearer ${apiKey}`,
    'content-type: application/json',
    `content-length: ${body.length}`,
  ]
  return new Promise((resolve) => {
    let text = ''
    const socket = connect(Number(port), hostname, () => socket.write(`${head.join('\r\n')}\r\n\r\n${body}`))
    socket.on('data', (data) => {
      text += data
      if (text.includes(words)) socket.resetAndDestroy()
    })
    socket.on('close', () => resolve())
  })
}
