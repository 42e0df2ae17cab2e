import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { CompletionEvent } from '#chat/events.ts'
import { openaiChat } from '../../../providers/openai-chat/openai-chat.ts'
import { createChatRewriter } from './rewriter.ts'

const head = { id: 'gen-1', model: 'a/b', provider: 'Größe', createdSeconds: 5 }
const rewriter = () => createChatRewriter(head)
/** The rewritten response. Its text is passed as a latin1 string. */
const rewriteWhole = (response: object, given?: readonly CompletionEvent[]) => {
  const events = given ?? openaiChat.readBody(response, { responseId: 'gen-1' })
  return JSON.parse(utf8(rewriter().rewriteWhole(latin1(JSON.stringify(response)), response, events)))
}
const sent = (chunk: object) => Buffer.from(`data: ${JSON.stringify(chunk)}\n\n`)
const read = (event: Buffer) => JSON.parse(event.toString('utf8').slice('data: '.length))
const choice = (delta: object, more: object = { finish_reason: null }) => ({ index: 0, delta, ...more })
const latin1 = (text: string) => Buffer.from(text).toString('latin1')
const utf8 = (text: string) => Buffer.from(text, 'latin1').toString('utf8')
const named = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'upstream' }

describe("repairs of a chat upstream's own bytes", () => {
  test('every chunk names the model that answered, and all other bytes are unchanged', () => {
    const { rewriteEvent } = rewriter()
    for (const content of ['Grüß', ' "model":"x"', ' Gott\\']) {
      const chunk = { ...named, choices: [choice({ role: 'assistant', content })], usage: null, x: 1 }
      const expected = { provider: 'Größe', ...named, model: 'a/b', choices: chunk.choices, x: 1 }
      assert.equal(rewriteEvent(sent(chunk)).toString(), `data: ${JSON.stringify(expected)}\n\n`)
    }
  })

  test('the first delta has a role, which helpers of official clients require', () => {
    const { rewriteEvent } = rewriter()
    rewriteEvent(sent({ ...named, choices: [] }))
    const deltas = ['a', 'b'].map((content) => read(rewriteEvent(sent({ ...named, choices: [choice({ content })] }))))
    assert.deepEqual(
      deltas.map(({ choices }) => choices[0].delta),
      [{ role: 'assistant', content: 'a' }, { content: 'b' }],
    )
  })

  test('the first delta of each of several choices has a role', () => {
    const { rewriteEvent } = createChatRewriter({ ...head, request: { n: 2 } })
    const sentDeltas = [
      [{ index: 0, delta: { content: 'a' } }],
      [
        { index: 0, delta: { tool_calls: [{ index: 1, id: 'x', type: 'function', function: { name: 'f' } }] } },
        { index: 1, delta: { content: 'b' } },
      ],
      [{ index: 1, delta: { content: 'c' } }],
    ]
    const roles = sentDeltas.map((choices) => {
      const finished = choices.map((one) => ({ ...one, finish_reason: null }))
      const { choices: rewritten } = read(rewriteEvent(sent({ ...named, choices: finished })))
      return rewritten.map(({ delta }: { delta: { role?: string } }) => delta.role)
    })
    assert.deepEqual(roles, [['assistant'], [undefined, 'assistant'], [undefined]])
  })

  test('choices without an index get one', () => {
    const { rewriteEvent } = rewriter()
    const call = { index: 0, id: 'x', type: 'function', function: { name: 'read', arguments: '' } }
    for (const delta of [{ role: 'assistant', content: 'a' }, { tool_calls: [call] }, {}])
      assert.equal(
        read(rewriteEvent(sent({ ...named, choices: [{ delta, finish_reason: null }] }))).choices[0].index,
        0,
      )
    const message = { role: 'assistant', content: 'a' }
    assert.equal(rewriteWhole({ ...named, choices: [{ message, finish_reason: 'stop' }] }).choices[0].index, 0)
  })

  test('the message so far beside a delta is removed, because clients would add both', () => {
    const delta = { role: 'assistant', content: 'b' }
    const chunk = { ...named, choices: [choice(delta, { finish_reason: null, message: { content: 'ab' } })] }
    assert.deepEqual(read(rewriter().rewriteEvent(sent(chunk))).choices, [choice(delta)])
  })

  test('the older call field is sent only to clients with tools in the older form', () => {
    const delta = { role: 'assistant', function_call: { name: 'f', arguments: '{}' } }
    const chunk = sent({ ...named, choices: [choice(delta)] })
    assert.deepEqual(read(rewriter().rewriteEvent(chunk)).choices, [choice({ role: 'assistant' })])
    const older = createChatRewriter({ ...head, request: { functions: [{ name: 'f' }] } })
    assert.deepEqual(read(older.rewriteEvent(chunk, [])).choices, [choice(delta)])
  })

  test('a whole response without a reason of its end gets the one that was read', () => {
    for (const end of [{}, { finish_reason: '' }, { finish_reason: null }]) {
      const response = { choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, ...end }] }
      const { choices } = rewriteWhole(response, [{ type: 'finish', reason: 'stop', native: 'stop' }])
      assert.equal(choices[0].finish_reason, 'stop')
    }
  })

  test('a chunk with another beginning than the first is changed correctly', () => {
    const { rewriteEvent } = rewriter()
    const chunks = [
      { ...named, choices: [] },
      { choices: [], ...named },
      { ...named, choices: [], provider: 'Other' },
    ]
    for (const chunk of chunks) {
      const { model, provider, choices } = read(rewriteEvent(sent(chunk)))
      assert.deepEqual([model, provider, choices], ['a/b', 'Größe', []])
    }
  })

  test('fields that clients need are added when an upstream omits them', () => {
    const { rewriteEvent } = rewriter()
    const { id, object, created } = read(rewriteEvent(sent({ choices: [] })))
    assert.deepEqual([id, object, created], ['gen-1', 'chat.completion.chunk', 5])
    const choices = [{ message: { role: 'assistant', content: 'x' }, finish_reason: 'stop' }]
    const response = rewriteWhole({ choices })
    assert.deepEqual([response.system_fingerprint, response.object, response.id], [null, 'chat.completion', 'gen-1'])
    assert.equal(rewriteWhole({ system_fingerprint: 'fp', choices }).system_fingerprint, 'fp')
  })

  test('a missing or empty finish reason becomes null', () => {
    const { rewriteEvent } = rewriter()
    for (const more of [{}, { finish_reason: '' }])
      assert.equal(
        read(rewriteEvent(sent({ ...named, choices: [choice({ content: 'x' }, more)] }))).choices[0].finish_reason,
        null,
      )
    const ended = { ...named, choices: [choice({}, { finish_reason: 'stop' })] }
    assert.equal(read(rewriteEvent(sent(ended))).choices[0].finish_reason, 'stop')
  })

  test('calls get the ids and types that they lack, and no calls are none', () => {
    const { rewriteEvent } = rewriter()
    const call = { function: { name: 'f', arguments: '{"name":1}' } }
    const [delta] = read(
      rewriteEvent(sent({ ...named, choices: [choice({ tool_calls: [{ index: 3, ...call }] })] })),
    ).choices
    assert.deepEqual(delta.delta.tool_calls, [{ index: 3, ...call, id: 'call_c_3', type: 'function' }])
    const message = {
      tool_calls: [
        { id: 'own', type: 'function', ...call },
        { id: null, type: 'function', ...call },
      ],
    }
    const { choices } = rewriteWhole({ ...named, choices: [{ message }] })
    assert.deepEqual(
      choices[0].message.tool_calls.map(({ id }: { id: string }) => id),
      ['own', 'call_c_1'],
    )
    for (const rejected of [{ tool_calls: null }, { audio: null }, { images: null }]) {
      const without = { ...named, choices: [{ message: { ...rejected, content: 'ü' }, finish_reason: 'stop' }] }
      assert.deepEqual(rewriteWhole(without).choices[0].message, { role: 'assistant', content: 'ü' })
    }
  })

  test('a role is the only one that clients accept, or is missing', () => {
    const { rewriteEvent } = rewriter()
    const deltas = [null, '', 'model', 'assistant'].map((role) => {
      const { choices } = read(rewriteEvent(sent({ ...named, choices: [choice({ role, content: 'x' })] })))
      return choices[0].delta
    })
    const delta = { content: 'x' }
    const withRole = { role: 'assistant', ...delta }
    assert.deepEqual(deltas, [withRole, delta, delta, withRole])
    for (const message of [delta, { role: null, ...delta }])
      assert.deepEqual(rewriteWhole({ ...named, choices: [{ message }] }).choices[0].message, withRole)
  })

  test('a fingerprint and a usage of null are removed from chunks and whole responses', () => {
    const { rewriteEvent } = rewriter()
    const choices = [choice({ role: 'assistant', content: 'x' })]
    for (const chunk of [
      { system_fingerprint: null, ...named, choices },
      { ...named, choices, system_fingerprint: null },
      { ...named, choices, system_fingerprint: null },
      { ...named, system_fingerprint: null, choices, usage: null },
    ])
      assert.deepEqual(read(rewriteEvent(sent(chunk))), { provider: 'Größe', ...named, model: 'a/b', choices })
    const whole = rewriteWhole({ ...named, choices: [{ message: { role: 'assistant', content: 'x' } }], usage: null })
    assert.equal('usage' in whole, false)
  })

  test('content in parts becomes text with the reasoning beside it', () => {
    const thinking = { type: 'thinking', thinking: [{ type: 'text', text: 'Hm' }] }
    const content = [thinking, { type: 'text', text: 'Yes' }]
    const { rewriteEvent } = rewriter()
    const response = rewriteWhole({ ...named, choices: [{ message: { content }, finish_reason: 'stop' }] })
    const [delta] = read(rewriteEvent(sent({ ...named, choices: [choice({ content })] }))).choices
    for (const fields of [response.choices[0].message, delta.delta]) {
      assert.deepEqual([fields.content, fields.reasoning], ['Yes', 'Hm'])
      assert.equal(fields.reasoning_details[0].id, 'thinking:a/b')
    }
    const logprobs = { content: [{ token: 'Yes', logprob: 0 }] }
    const passed = sent({ ...named, choices: [choice({ content: 'Yes' }, { finish_reason: null, logprobs })] })
    assert.deepEqual(read(rewriteEvent(passed)).choices[0].logprobs, logprobs)
  })

  test('reasoning under any name is in both fields that clients read', () => {
    const detail = (id: string) => ({ type: 'reasoning.text', text: 'Hm', id, format: 'unknown', index: 0 })
    const own = { type: 'reasoning.text', text: 'Hm', format: 'x' }
    const rows: [fields: object, id: object][] = [
      [{ reasoning_content: 'Hm' }, detail('reasoning_content:a/b')],
      [{ reasoning: 'Hm' }, detail('reasoning:a/b')],
      [{ reasoning: null, reasoning_content: 'Hm' }, detail('reasoning_content:a/b')],
      [{ reasoning: '', reasoning_content: 'Hm' }, detail('reasoning_content:a/b')],
      [{ reasoning_details: [own] }, own],
      [{ reasoning: 'Hm', reasoning_details: [] }, detail('reasoning:a/b')],
      [{ reasoning: 'Hm', reasoning_details: [own] }, own],
    ]
    for (const [fields, right] of rows) {
      const { rewriteEvent } = rewriter()
      const [{ delta }] = read(rewriteEvent(sent({ ...named, choices: [choice(fields)] }))).choices
      const [{ message }] = rewriteWhole({ ...named, choices: [{ message: fields, finish_reason: 'stop' }] }).choices
      for (const { reasoning, reasoning_details } of [delta, message])
        assert.deepEqual([reasoning, reasoning_details], ['Hm', [right]], JSON.stringify(fields))
    }
  })

  test('a call with free text has the type custom', () => {
    const call = { index: 0, id: 'own', custom: { name: 'shell', input: 'ls' } }
    const [given] = read(rewriter().rewriteEvent(sent({ ...named, choices: [choice({ tool_calls: [call] })] }))).choices
    assert.deepEqual(given.delta.tool_calls, [{ ...call, type: 'custom' }])
  })

  test('a chunk with an id or a comment after its data is changed like any other', () => {
    const delta = { role: 'assistant', content: 'x' }
    const chunk = JSON.stringify({ ...named, choices: [choice({ ...delta, audio: null }, {})] })
    for (const [ending, line] of [
      ['\n', 'id: 7'],
      ['\r\n', ': {'],
      ['\n', 'retry: 1'],
    ] as const) {
      const event = rewriter()
        .rewriteEvent(Buffer.from(`data: ${chunk}${ending}${line}${ending}${ending}`))
        .toString()
      const [data, ...rest] = event.split('\n')
      assert.deepEqual(JSON.parse(data!.slice('data: '.length)).choices, [choice(delta)])
      assert.equal(rest.join('\n'), `${line}${ending}${ending}`)
    }
  })

  test('a usage of null is removed from every chunk, but stays within choices', () => {
    const { rewriteEvent } = rewriter()
    for (const content of ['a', 'b', 'c']) {
      const chunk = { ...named, choices: [choice({ content }, { finish_reason: null, usage: null })], usage: null }
      const { usage, choices } = read(rewriteEvent(sent(chunk)))
      assert.deepEqual([usage, choices[0].usage], [undefined, null])
    }
  })

  test('ids after the calls belong to no call', () => {
    const call = { index: 0, type: 'function', function: { name: 'f', arguments: '' } }
    const { choices } = read(rewriter().rewriteEvent(sent({ choices: [choice({ tool_calls: [call] })], ...named })))
    assert.equal(choices[0].delta.tool_calls[0].id, 'call_c_0')
  })

  test('a chunk that omits fields of previous chunks gets them', () => {
    const { rewriteEvent } = rewriter()
    rewriteEvent(sent({ choices: [choice({ content: 'x' })], ...named }))
    const { id, model, object, created } = read(
      rewriteEvent(sent({ choices: [choice({}, { finish_reason: 'stop' })] })),
    )
    assert.deepEqual([id, model, object, created], ['gen-1', 'a/b', 'chat.completion.chunk', 5])
  })

  test('an event with data on several lines is unchanged', () => {
    const raw = Buffer.from('data: {"model":"x",\ndata: "choices":[]}\n\n')
    assert.equal(rewriter().rewriteEvent(raw), raw)
  })
})
