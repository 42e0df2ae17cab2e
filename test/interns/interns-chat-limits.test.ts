import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type InternChatService, prompt, startInternChatService } from '../harness/interns/intern-chat.ts'
import { answer, say, tryAnswer } from '../harness/interns/interns.ts'

describe('limits of a chat request', () => {
  let service: InternChatService
  before(async () => {
    service = await startInternChatService()
  })
  after(() => service[Symbol.asyncDispose]())

  const send = (body: unknown, headers?: Record<string, string>) =>
    service.ask('POST', `/interns/${service.id}/chat/completions`, { body, ...(headers && { headers }) })
  const user = (content: unknown) => ({ role: 'user', content })
  const base = { stream: true, messages: [user('nothing')] }
  /** The status, or what was wrong with the body. */
  const verdict = async (more: object) => {
    const { status, body } = await send({ ...base, ...more })
    if (status !== 400) return status
    assert.deepEqual(body.error.metadata, { reason: 'bad_request', retryable: false })
    return body.error.message as string
  }
  const refused = async (more: object, words: RegExp) => assert.match(String(await verdict(more)), words)

  for (const name of ['model', 'session_id']) {
    test(`${name} has 1 to 256 characters`, async () => {
      assert.equal(await verdict({ [name]: 'm'.repeat(256) }), 200)
      assert.equal(await verdict({ [name]: 'm' }), 200)
      await refused({ [name]: 'm'.repeat(257) }, new RegExp(name))
      await refused({ [name]: '' }, new RegExp(name))
    })
  }

  test('tool_call_id has 1 to 128 characters', async () => {
    const tool = (id: string) => ({
      session_id: 's',
      messages: [{ role: 'tool', tool_call_id: id, content: 'cancel' }],
    })
    assert.equal(await verdict(tool('t'.repeat(128))), 404)
    await refused(tool('t'.repeat(129)), /tool_call_id/)
    await refused(tool(''), /tool_call_id/)
  })

  test('the id of an echoed tool call has 1 to 128 characters', async () => {
    const echo = (id: string) => ({
      messages: [
        { role: 'assistant', content: null, tool_calls: [{ id, function: { name: 'n', arguments: '{}' } }] },
        user('nothing'),
      ],
    })
    assert.equal(await verdict(echo('t'.repeat(128))), 200)
    await refused(echo('t'.repeat(129)), /tool_calls/)
    await refused(echo(''), /tool_calls/)
  })

  test('a prompt has at most 32000 characters, by code points', async () => {
    const saying = (content: unknown) => ({ messages: [user(content)] })
    assert.equal(await verdict(saying('x'.repeat(32_000))), 200)
    assert.equal(await verdict(saying('😀'.repeat(32_000))), 200)
    await refused(saying('x'.repeat(32_001)), /more than 32000 characters/)
    await refused(saying('😀'.repeat(32_001)), /more than 32000 characters/)
    const part = { type: 'text', text: 'x'.repeat(16_001) }
    await refused(saying([part, part]), /more than 32000 characters/)
  })

  test('only the last message has that limit', async () => {
    assert.equal(await verdict({ messages: [user('x'.repeat(40_000)), user('nothing')] }), 200)
  })

  test('a body has at most 1048576 bytes', async () => {
    const bytes = (length: number) => {
      const rest = JSON.stringify({ ...base, padding: '' }).length
      return { padding: 'x'.repeat(length - rest) }
    }
    assert.equal(await verdict(bytes(1_048_576)), 200)
    assert.equal(await verdict(bytes(1_048_577)), 413)
  })

  test('messages has at least one, stream is true, the mode is one of two', async () => {
    await refused({ messages: [] }, /messages/)
    await refused({ messages: undefined }, /messages/)
    await refused({ stream: false }, /stream: must be true/)
    await refused({ stream: undefined }, /stream: must be true/)
    await refused({ approval_mode: 'auto' }, /approval_mode/)
  })

  test('the last message is of a user or a tool', async () => {
    for (const role of ['system', 'developer', 'assistant']) {
      await refused({ messages: [{ role, content: 'hi' }] }, /last message must have the role "user" or "tool"/)
    }
    await refused({ messages: [{ role: 'narrator', content: 'hi' }] }, /role/)
  })

  test('a tool message needs the session, its id and content', async () => {
    const tool = { role: 'tool', tool_call_id: 't', content: 'cancel' }
    await refused({ messages: [tool] }, /session_id is required/)
    await refused({ session_id: 's', messages: [{ ...tool, tool_call_id: undefined }] }, /tool_call_id/)
    await refused({ session_id: 's', messages: [{ ...tool, content: undefined }] }, /content/)
  })

  test('every form of a prompt without text is refused', async () => {
    for (const content of ['', null, [], [{ type: 'text', text: '' }]]) {
      await refused({ messages: [user(content)] }, /text of the last message is empty/)
    }
    await refused({ messages: [{ role: 'user' }] }, /content/)
    await refused({ messages: [user(7)] }, /content/)
    await refused({ messages: [user([{ type: 'image_url', image_url: { url: 'x' } }])] }, /content/)
    await refused({ messages: [user([{ type: 'text' }])] }, /content/)
  })

  test('an echoed tool call has a function with name and arguments', async () => {
    const echo = (call: object) => ({
      messages: [{ role: 'assistant', content: null, tool_calls: [call] }, user('nothing')],
    })
    assert.equal(await verdict(echo({ id: 'a', type: 'function', function: { name: 'n', arguments: '' } })), 200)
    await refused(echo({ id: 'a' }), /function/)
    await refused(echo({ id: 'a', function: { name: 'n' } }), /arguments/)
  })

  test('a body that is not JSON, or not said to be, is a 400', async () => {
    for (const [body, type] of [
      ['{', 'application/json'],
      ['{}', 'text/plain'],
    ] as const) {
      const response = await fetch(`${service.url}/interns/${service.id}/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${service.apiKey}`, 'content-type': type },
        body,
      })
      const { error } = (await response.json()) as any
      assert.deepEqual([response.status, error.metadata.reason], [400, 'bad_request'])
      assert.equal(response.headers.get('x-should-retry'), 'false')
    }
  })

  test('text parts are joined, other fields ignored, and only the last message is read', async () => {
    const messages = [
      { role: 'system', content: 'say system' },
      { role: 'developer', content: [{ type: 'text', text: 'say developer' }] },
      user('say before'),
      { role: 'assistant', content: 'before' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'say ' },
          { type: 'text', text: 'joined' },
        ],
      },
    ]
    const turn = await say(service, service.id, '', { messages, temperature: 'hot', tools: 7, model: 'other/model' })
    assert.equal(turn.text, 'joined')
  })

  test('an answer can consist of text parts, after an echoed tool call', async () => {
    const turn = await say(service, service.id, 'permission shell allow_once')
    const call = turn.chunks[1].choices[0].delta.tool_calls[0]
    const stream = await prompt(service, '', {
      session_id: turn.sessionId,
      messages: [
        user('permission shell allow_once'),
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: call.id, content: ['allow', '_once'].map((text) => ({ type: 'text', text })) },
      ],
    })
    assert.equal(((await stream.rest())[1] as any).choices[0].delta.content, '[allow_once-0]')
  })

  test('an answer without words is refused, and the question stays open', async () => {
    const turn = await say(service, service.id, 'permission shell allow_once')
    for (const content of [null, '', []]) {
      const reply = await tryAnswer(service, service.id, turn, content as never)
      assert.deepEqual([reply.status, reply.error?.metadata?.reason], [400, 'bad_request'])
    }
    assert.equal((await answer(service, service.id, turn, 'allow_once')).finish, 'stop')
  })
})
