import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { chatClientProtocols as clientProtocols, findClientProtocol } from '#gateway/clients/client-protocols.ts'
import { protocols } from '#gateway/providers/protocols.ts'
import { SseReader } from '#platform/net/sse.ts'
import { type ClientName, clientRequests } from '#test/harness/records/client-requests.ts'
import type { Reply, TestService } from '#test/harness/service/service.ts'
import {
  providerFacts,
  type UpstreamProtocol,
  upstreamProtocols as upstreams,
} from '#test/harness/upstream/provider-facts.ts'
import { type RecordedProviders, startWithRecordings } from '#test/harness/upstream/recorded-providers.ts'
import { fixture, type Gist, gistOf, readEvents } from '#test/harness/upstream/recorded-responses.ts'
import type { ScriptedUpstream } from '#test/harness/upstream/scripted-upstream.ts'

const clients = Object.keys(clientRequests) as ClientName[]

/** Clients whose protocol is also one of providers, so that their responses can be read. */
const readableClients = clients.filter((client) => client in protocols)

/** The recorded responses of a protocol with text, calls of tools or reasoning. */
function recordingsOf(protocol: UpstreamProtocol): string[] {
  const names = Object.keys(providerFacts[protocol].recorded).flatMap((one) => one.split(' '))
  return names.filter((name) => /^(?:text|parallel-tools|reasoning|thinking-tools)\./.test(name))
}

test('every client protocol is tried on every provider protocol', () => {
  assert.deepEqual(clients.toSorted(), clientProtocols.map(({ protocol }) => protocol).sort())
})

describe('every client protocol on every upstream protocol', () => {
  let recorded: RecordedProviders
  let service: TestService
  let upstream: ScriptedUpstream
  before(async () => {
    recorded = await startWithRecordings()
    ;({ service, upstream } = recorded)
  })
  after(() => recorded[Symbol.asyncDispose]())

  const ask = (client: ClientName, more: object): Promise<Reply> => {
    const { body, tools } = clientRequests[client]
    const usage = client === 'openai-chat' ? { stream_options: { include_usage: true } } : {}
    return service.ask('POST', findClientProtocol(client)!.operation.path, {
      body: { ...body, tools, ...usage, ...more },
    })
  }

  /** The response as a client of the protocol reads it. */
  function understood(client: ClientName, { text, body }: Reply, streamed: boolean): Gist {
    const protocol = protocols[client as UpstreamProtocol]
    if (!streamed) return gistOf(protocol.readBody(body))
    const read = protocol.createReader()
    return gistOf(new SseReader().push(Buffer.from(text)).flatMap(read))
  }

  /** Without values that only clients of the same protocol understand: native finish reasons and opaque marks. */
  function comparable({ finish, marks: _marks, ...gist }: Gist): Gist {
    return { ...gist, finish: finish?.split(' ')[0] }
  }

  for (const client of clients.filter((one) => !readableClients.includes(one))) {
    for (const protocol of upstreams) {
      test(`${client} on ${protocol}: a whole response has its text`, async () => {
        const reply = await ask(client, { model: `${protocol}/text` })
        assert.equal(reply.status, 200, reply.text)
        assert.match(reply.text, /Grüß Gott/)
      })
    }
  }

  for (const client of readableClients) {
    for (const protocol of upstreams) {
      for (const recording of recordingsOf(protocol)) {
        test(`${client} on ${protocol}: ${recording} is equivalent`, async () => {
          const streamed = recording.endsWith('.sse')
          const reply = await ask(client, { model: `${protocol}/${recording.split('.')[0]}`, stream: streamed })
          assert.equal(reply.status, 200, reply.text)
          const sent = readEvents(protocols[protocol], `${protocol}/${recording}`)
          assert.deepEqual(comparable(understood(client, reply, streamed)), comparable(gistOf(sent)))
        })
      }

      test(`${client} on ${protocol}: an interrupted stream ends with an error`, async () => {
        const reply = await ask(client, { model: `${protocol}/error`, stream: true })
        const { text, error } = understood(client, reply, true)
        const result = gistOf(readEvents(protocols[protocol], `${protocol}/error.sse`)).text
        assert.ok(result?.startsWith(text!) && text !== undefined)
        assert.match(error ?? '', /provider failed|did not respond/i)
      })

      test(`${client} on ${protocol}: usage has its cost`, async () => {
        const { body } = await ask(client, { model: `${protocol}/text` })
        // 19 tokens at 1, and 10 at 2 USD per million.
        assert.equal(body.usage.cost, protocol === 'anthropic-messages' ? body.usage.cost : 0.000039)
        assert.ok(body.usage.cost > 0)
      })
    }
  }

  /** Without the names of who answers, which are the catalogue's, and without what says null where clients want nothing. */
  const unnamed = (text: string) =>
    text
      .replaceAll(/"model":\s*"[^"]*"/g, '"model":""')
      .replaceAll(/"provider":"[^"]*",/g, '')
      .replaceAll(',"usage":null', '')

  test('bytes are unchanged if both sides use one protocol, except name and cost', async () => {
    for (const protocol of ['openai-chat', 'openai-responses', 'anthropic-messages'] as const) {
      const { text } = await ask(protocol, { model: `${protocol}/parallel-tools`, stream: true })
      const sent = unnamed(fixture(`${protocol}/parallel-tools.sse`).toString()).split('\n\n')
      const changed = unnamed(text)
        .split('\n\n')
        .filter((event, index) => event !== sent[index])
      // Events that contain a response get the fields that clients need.
      assert.equal(changed.filter((event) => !event.includes('"response":{') || event.includes('"cost"')).length, 1)
      assert.match(changed.at(-1)!, /"cost":0\.000039/)
      const whole = await ask(protocol, { model: `${protocol}/parallel-tools` })
      const { model: _model, usage, ...plain } = JSON.parse(fixture(`${protocol}/parallel-tools.json`).toString())
      assert.deepEqual({ ...whole.body, ...plain, usage: { ...usage, cost: 0.000039 } }, whole.body)
    }
  })

  test('a chat client that did not request usage gets it on a normal chunk', async () => {
    const body = { messages: [{ role: 'user', content: 'Hi' }], model: 'openai-chat/text', stream: true }
    const { text } = await service.ask('POST', '/chat/completions', { body })
    const sent = unnamed(fixture('openai-chat/text.sse').toString()).split('\n\n')
    const [result, ...others] = unnamed(text)
      .split('\n\n')
      .filter((event) => !sent.includes(event))
    const { choices, usage } = JSON.parse(result!.slice('data: '.length))
    assert.deepEqual([choices, usage.cost], [[{ index: 0, delta: {}, finish_reason: null }], 0.000039])
    assert.deepEqual(others, [])
  })

  test('unknown parameters reach an upstream of the same protocol, and ours do not', async () => {
    const more = { model: 'openai-chat/text', provider: { allow_fallbacks: true }, session_id: 's', novelty: { a: 1 } }
    await ask('openai-chat', more)
    const { body, headers } = upstream.requests.at(-1)!
    assert.deepEqual([body.novelty, body.provider, body.session_id], [{ a: 1 }, undefined, undefined])
    assert.equal(headers.authorization, 'Bearer upstream-secret')
  })

  /** A second turn after a tool call, with everything the client was given back in it. */
  async function secondTurn(client: ClientName, model: string, streamed: boolean): Promise<any> {
    const reply = await ask(client, { model, stream: streamed })
    if (client === 'openai-responses') {
      const output = streamed ? lastData(reply.text).response.output : reply.body.output
      const calls = output.filter(({ type }: { type: string }) => type === 'function_call')
      const results = calls.map(({ call_id }: any) => ({ type: 'function_call_output', call_id, output: 'blue' }))
      await ask(client, { model, input: [{ role: 'user', content: 'Hi' }, ...output, ...results] })
    } else if (client === 'anthropic-messages') {
      const { content } = streamed ? assembledMessage(reply.text) : reply.body
      const results = content.flatMap(({ type, id }: any) =>
        type === 'tool_use' ? [{ type: 'tool_result', tool_use_id: id, content: 'blue' }] : [],
      )
      const turns = [
        { role: 'assistant', content },
        { role: 'user', content: results },
      ]
      await ask(client, { model, messages: [{ role: 'user', content: 'Hi' }, ...turns] })
    } else {
      const assistant = streamed ? assembled(reply.text) : reply.body.choices[0].message
      const results = assistant.tool_calls.map(({ id }: any) => ({ role: 'tool', tool_call_id: id, content: 'blue' }))
      await ask(client, { model, messages: [{ role: 'user', content: 'Hi' }, assistant, ...results] })
    }
    return upstream.requests.at(-1)!.body
  }

  for (const client of readableClients) {
    for (const streamed of [true, false]) {
      const how = `${client}, ${streamed ? 'streamed' : 'whole'}`
      test(`${how}: Claude sees its thoughts again, signed as they were, before its call`, async () => {
        const { messages } = await secondTurn(client, 'anthropic-messages/thinking-tools', streamed)
        assert.deepEqual(messages[1].content, [
          { type: 'thinking', thinking: 'Hmm, so.', signature: 'EqQBCgIYAhIM-signed' },
          { type: 'redacted_thinking', data: 'EmwKAhgB-redacted' },
          { type: 'text', text: 'I look.' },
          { type: 'tool_use', id: 'toolu_A', name: 'weather', input: { city: 'Rome' } },
        ])
      })

      test(`${how}: Gemini sees its signature again, on the call it came with`, async () => {
        const { contents } = await secondTurn(client, 'google-gemini/thinking-tools', streamed)
        assert.deepEqual(contents[1].parts, [
          { text: 'I look.' },
          { functionCall: { name: 'weather', args: { city: 'Rome' } }, thoughtSignature: 'CikB-signed' },
          { functionCall: { name: 'weather', args: { city: 'Oslo' } } },
        ])
        assert.equal(contents[2].parts[1].functionResponse.name, 'weather')
      })

      test(`${how}: OpenAI sees its encrypted thought again`, async () => {
        const reply = await ask(client, { model: 'openai-responses/reasoning', stream: streamed })
        const result =
          client === 'openai-responses'
            ? { input: streamed ? lastData(reply.text).response.output : reply.body.output }
            : client === 'anthropic-messages'
              ? {
                  messages: [
                    { role: 'assistant', content: (streamed ? assembledMessage(reply.text) : reply.body).content },
                  ],
                }
              : { messages: [streamed ? assembled(reply.text) : reply.body.choices[0].message] }
        await ask(client, { model: 'openai-responses/text', ...result })
        const [thought] = upstream.requests.at(-1)!.body.input
        assert.deepEqual([thought.type, thought.id, thought.encrypted_content], ['reasoning', 'rs_1', 'gAAAAAB-opaque'])
      })
    }
  }

  test('a conversation moves on to another provider, and its thoughts stay behind', async () => {
    const { body } = await ask('openai-responses', { model: 'anthropic-messages/thinking-tools' })
    for (const protocol of upstreams) {
      const reply = await ask('openai-responses', { model: `${protocol}/text`, input: ['Hi', ...body.output].slice(1) })
      assert.equal(reply.status, 200)
      const sent = JSON.stringify(upstream.requests.at(-1)!.body)
      assert.equal(sent.includes('EqQBCgIYAhIM-signed'), protocol === 'anthropic-messages', protocol)
    }
  })
})

/** The message of a stream of blocks, assembled as clients do. */
function assembledMessage(text: string): any {
  const content: any[] = []
  for (const line of text.split('\n').filter((one) => one.startsWith('data: {'))) {
    const { type, index, content_block, delta } = JSON.parse(line.slice('data: '.length))
    if (type === 'content_block_start') content[index] = { ...content_block, ...(content_block.input && { json: '' }) }
    if (type !== 'content_block_delta') continue
    const block = content[index]
    if (delta.partial_json) block.json += delta.partial_json
    for (const part of ['text', 'thinking', 'signature'])
      if (delta[part]) block[part] = (block[part] ?? '') + delta[part]
  }
  return {
    content: content.map(({ json, ...block }) =>
      json === undefined ? block : { ...block, input: JSON.parse(json || '{}') },
    ),
  }
}

function lastData(text: string): any {
  return JSON.parse(text.trim().split('\n').at(-1)!.slice('data: '.length))
}

/** The message of a stream of chunks, assembled as clients do: the pieces of details are appended. */
function assembled(text: string): any {
  const message: any = { role: 'assistant', content: '', reasoning_details: [], tool_calls: [] }
  for (const line of text.split('\n').filter((one) => one.startsWith('data: {'))) {
    const { delta = {} } = JSON.parse(line.slice('data: '.length)).choices[0] ?? {}
    message.content += delta.content ?? ''
    message.reasoning_details.push(...(delta.reasoning_details ?? []))
    for (const { index, ...call } of delta.tool_calls ?? []) {
      if (call.id) message.tool_calls[index] = call
      else message.tool_calls[index].function.arguments += call.function.arguments
    }
  }
  return message
}
