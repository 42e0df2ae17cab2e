import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import OpenAI from 'openai'
import { type InternChatService, startInternChatService } from '../harness/interns/intern-chat.ts'
import { until } from '../harness/until.ts'

type Messages = OpenAI.Chat.ChatCompletionMessageParam[]
const user = (content: string): Messages[number] => ({ role: 'user', content })

describe('a stock chat client, with the session in its base URL', () => {
  let service: InternChatService
  before(async () => {
    service = await startInternChatService({ settings: { intern_budget_ms: 60_000 } as never })
    await service.ask('PATCH', `/interns/${service.id}`, { body: { approval_mode: 'manual' } })
  })
  after(() => service[Symbol.asyncDispose]())
  const findClient = (session: string) =>
    new OpenAI({
      baseURL: `${service.url}/interns/${service.id}/sessions/${session}`,
      apiKey: service.apiKey,
      maxRetries: 0,
    })
  const ask = (client: OpenAI, messages: Messages) =>
    client.chat.completions.create({ model: 'intern', messages, temperature: 0 })

  test('gets complete replies, and continues in the same session', async () => {
    const client = findClient('whole')
    const first = await ask(client, [{ role: 'system', content: 'x' }, user('say one\nthink hm\nusage 3 4')])
    const [choice] = first.choices
    assert.deepEqual([choice!.message.content, choice!.finish_reason, first.object], ['one', 'stop', 'chat.completion'])
    assert.equal(first.usage?.total_tokens, 7)
    const history: Messages = [user('say one'), choice!.message, user('say two')]
    assert.equal((await ask(client, history)).choices[0]!.message.content, 'two')
    const { body } = await service.ask('GET', `/interns/${service.id}/sessions`)
    assert.deepEqual([body.data[0].id, body.data[0].turns], ['whole', 2])
  })

  test('streams', async () => {
    const stream = await findClient('streamed').chat.completions.create({
      ...{ model: 'intern', messages: [user('stream 5 1')], stream: true },
      stream_options: { include_usage: true },
    })
    let text = ''
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? ''
    assert.equal(text, 'word0 word1 word2 word3 word4 ')
  })

  test('gets a question as a tool call, and answers it with a tool message', async () => {
    const client = findClient('asked')
    const messages: Messages = [user('say may I\npermission shell allow_once reject_once\nsay !')]
    const { message, finish_reason } = (await ask(client, messages)).choices[0]!
    assert.equal(finish_reason, 'tool_calls')
    const [call] = message.tool_calls!
    assert.ok(call?.type === 'function')
    assert.deepEqual(JSON.parse(call.function.arguments).options, ['allow_once', 'reject_once'])
    messages.push(message, { role: 'tool', tool_call_id: call.id, content: 'allow_once' })
    const { choices } = await ask(client, messages)
    assert.deepEqual([choices[0]!.message.content, choices[0]!.finish_reason], ['[allow_once-0]!', 'stop'])
  })

  test('gets a failure within a reply as the error that it is', async () => {
    const client = findClient('failing')
    await assert.rejects(ask(client, [user('say half\nfail it broke')]), { status: 502, message: /it broke/ })
    await assert.rejects(ask(client, [user('say half\nquit')]), { status: 410, message: /cancelled/ })
    await assert.rejects(ask(client, [{ role: 'assistant', content: 'x' }]), { status: 400 })
  })

  test('that hangs up in a whole reply ends the turn', async () => {
    const disconnect = new AbortController()
    const client = findClient('left')
    const request = client.chat.completions.create(
      { model: 'intern', messages: [user('say hi\nwait 60000')] },
      { signal: disconnect.signal },
    )
    const sessionOf = async () => (await service.ask('GET', `/interns/${service.id}/sessions/left`)).body?.data?.session
    await until(async () => (await sessionOf())?.status === 'running')
    disconnect.abort()
    await assert.rejects(request, /aborted/i)
    await until(async () => (await sessionOf()).status === 'idle')
  })

  test('a session in the body that is another than that of the path is refused', async () => {
    const body = { messages: [user('say x')], session_id: 'other' }
    const path = `/interns/${service.id}/sessions/one/chat/completions`
    const { status, body: responseBody } = await service.ask('POST', path, { body })
    assert.deepEqual([status, responseBody.error.metadata.reason], [400, 'bad_request'])
  })
})
