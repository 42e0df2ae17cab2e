import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { until } from '#test/harness/until.ts'
import type { ModelEvent, ModelRequest } from './model.ts'
import { createOpenAiModel } from './openai.ts'

type Handler = (response: ServerResponse, body: any, request: IncomingMessage) => void

/** A model service that uses one handler per request; the last one also handles all later requests. */
async function serve(...handlers: Handler[]) {
  const bodies: any[] = []
  const server = createServer(async (request, response) => {
    const text = (await request.toArray()).join('')
    const handler = handlers[Math.min(bodies.length, handlers.length - 1)]!
    bodies.push(JSON.parse(text))
    handler(response, bodies.at(-1), request)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/`
  const options = {
    baseUrl: () => baseUrl,
    apiKey: 'key',
    model: 'm',
    newId: () => 'id',
    backoffMs: [1, 1],
    idleTimeoutMs: 1500,
  }
  const ask = async (request: Partial<ModelRequest> = {}) => {
    const events: ModelEvent[] = []
    const whole = { messages: [], tools: [], signal: new AbortController().signal, ...request }
    for await (const event of createOpenAiModel(options)(whole)) events.push(event)
    const last = events.at(-1)
    return { events, answer: last?.type === 'message.completed' ? last : assert.fail('the response has no end') }
  }
  const stop = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return { ask, bodies, [Symbol.asyncDispose]: stop }
}

const chunk = (delta: object, more: object = {}) => `data: ${JSON.stringify({ choices: [{ delta, ...more }] })}\n\n`
const stream =
  (...lines: string[]): Handler =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const line of lines) response.write(line)
    response.end('data: [DONE]\n\n')
  }
const stop = chunk({}, { finish_reason: 'stop' })
const fails =
  (status: number, body = '', headers: Record<string, string> = {}): Handler =>
  (response) =>
    response.writeHead(status, headers).end(body)
const works = stream(chunk({ content: 'ok' }), stop)

test('text, reasoning under both names, model, usage and cost are taken over', async () => {
  const usage = { prompt_tokens: 9, completion_tokens: 4, cost: 0.01, prompt_tokens_details: { cached_tokens: 3 } }
  await using service = await serve(
    stream(
      chunk({ reasoning: 'hm ' }),
      chunk({ reasoning_content: 'so' }),
      chunk({ content: 'Hé' }),
      stop,
      `data: ${JSON.stringify({ model: 'm-2', choices: [], usage })}\n\n`,
    ),
  )
  const { events, answer: response } = await service.ask()
  assert.deepEqual(
    events.slice(0, 3).map(({ type }) => type),
    ['reasoning.added', 'reasoning.added', 'text.added'],
  )
  assert.deepEqual(response.message, { role: 'assistant', text: 'Hé', reasoning: 'hm so' })
  assert.deepEqual(response.usage, { promptTokens: 9, completionTokens: 4, cachedTokens: 3, costUsd: 0.01 })
  assert.equal(response.model, 'm-2')
})

test('pieces of one reasoning text are joined, and go back as one detail', async () => {
  const piece = (text: string, more: object = {}) => ({ type: 'reasoning.text', text, id: 'a', ...more })
  const given = [[piece('hm ')], [piece('so')], [piece('', { signature: 's' }), piece('then')]]
  await using service = await serve(stream(...given.map((reasoning_details) => chunk({ reasoning_details })), stop))
  const { answer: response } = await service.ask()
  const details = [piece('hm so', { signature: 's' }), piece('then')]
  assert.deepEqual(response.message.details, details)
  await service.ask({ messages: [response.message, { role: 'assistant', text: 'Hé', reasoning: 'alone' }] })
  const { messages } = service.bodies[1]
  assert.deepEqual(messages[0].reasoning_details, details)
  assert.equal(messages[1].reasoning, 'alone')
})

test('parallel tool calls are assembled from pieces, also without an index', async () => {
  const part = (index: number | undefined, id: string | undefined, name: string | undefined, text: string) =>
    chunk({ tool_calls: [{ ...(index === undefined ? {} : { index }), id, function: { name, arguments: text } }] })
  const end = chunk({}, { finish_reason: 'tool_calls' })
  await using service = await serve(
    stream(
      part(0, 'a', 'one', '{"x"'),
      part(1, 'b', 'two', '{'),
      part(0, undefined, undefined, ':1}'),
      part(1, undefined, undefined, '}'),
      end,
    ),
    stream(
      part(undefined, 'a', 'one', '{"x"'),
      part(undefined, undefined, undefined, ':1}'),
      part(undefined, 'b', 'two', '{}'),
      end,
    ),
    stream(part(0, 'a', 'one', '{"x":1}'), part(0, 'b', 'two', '{}'), end),
  )
  for (let round = 0; round < 3; round++) {
    const { answer: response } = await service.ask()
    assert.deepEqual(response.message.calls, [
      { id: 'a', name: 'one', arguments: '{"x":1}' },
      { id: 'b', name: 'two', arguments: '{}' },
    ])
    assert.equal(response.finish, 'tool_calls')
  }
})

test('a conversation is sent with all fields of the Responses protocol', async () => {
  await using service = await serve(works)
  const calls = [{ id: 'a', name: 'one', arguments: '{}' }]
  await service.ask({
    messages: [
      { role: 'system', text: 's' },
      { role: 'assistant', text: '', calls, details: [{ signed: 1 }], reasoning: 'not sent' },
      { role: 'tool', callId: 'a', text: 'r' },
    ],
    tools: [{ name: 'one', description: 'd', parameters: { type: 'object' } }],
  })
  const { messages, tools, ...rest } = service.bodies[0]
  assert.deepEqual(rest, { model: 'm', stream: true, stream_options: { include_usage: true } })
  assert.deepEqual(tools, [
    { type: 'function', function: { name: 'one', description: 'd', parameters: { type: 'object' } } },
  ])
  assert.deepEqual(messages, [
    { role: 'system', content: 's' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'one', arguments: '{}' } }],
      reasoning_details: [{ signed: 1 }],
    },
    { role: 'tool', tool_call_id: 'a', content: 'r' },
  ])
})

for (const [what, handler] of Object.entries({
  'a busy service (429)': fails(429, '{"error":{"message":"slow down"}}'),
  'a failing service (503)': fails(503),
  'a connection that breaks': (response: ServerResponse) => void response.socket?.destroy(),
  'a response that ends before it begins': stream(),
  'an error in the stream before any output': stream(`data: {"error":{"code":502,"message":"upstream"}}\n\n`),
  'a service that says nothing': (response: ServerResponse) => void response.writeHead(200).flushHeaders(),
})) {
  test(`${what} is retried, at most the allowed number of times`, async () => {
    await using service = await serve(handler, works)
    assert.equal((await service.ask()).answer.message.text, 'ok')
    await using never = await serve(handler)
    await assert.rejects(never.ask(), { name: 'ModelFault', retryable: true })
    assert.equal(never.bodies.length, 3)
  })
}

test('the service says how long to wait', async () => {
  await using service = await serve(fails(429, '', { 'retry-after': '0.2' }), works)
  const start = performance.now()
  await service.ask()
  assert.ok(performance.now() - start >= 190)
})

for (const [status, words] of [
  [400, /did not accept the request \(400\): bad field/],
  [401, /refused the key or the request \(401\): bad field/],
  [404, /does not know this model/],
] as const) {
  test(`${status} is reported at once and not tried again`, async () => {
    await using service = await serve(fails(status, '{"error":{"message":"bad field"}}'))
    await assert.rejects(service.ask(), { message: words, retryable: false, status })
    assert.equal(service.bodies.length, 1)
  })
}

test('a context that is too long has an own error', async () => {
  await using service = await serve(fails(400, '{"error":{"message":"maximum context length is 8192 tokens"}}'))
  await assert.rejects(service.ask(), { isContextTooLong: true })
})

test('a router without an endpoint for a long prompt reports a full context', async () => {
  const body = {
    error: { code: 404, message: 'No endpoint', metadata: { excluded: [{ reason: 'context_too_small' }] } },
  }
  await using service = await serve(fails(404, JSON.stringify(body)))
  await assert.rejects(service.ask(), { isContextTooLong: true, status: 404 })
})

test('a response that breaks off after its start is not retried', async () => {
  await using service = await serve((response) => {
    response.writeHead(200)
    response.write(chunk({ content: 'half' }))
    setTimeout(() => response.socket?.destroy(), 20)
  })
  await assert.rejects(service.ask(), { message: /broke off/, retryable: true })
  assert.equal(service.bodies.length, 1)
})

test('cancelling ends the request at the service, also while it waits to try again', async () => {
  let removedCount = 0
  await using silent = await serve(
    (response) =>
      void response
        .on('close', () => removedCount++)
        .writeHead(200)
        .flushHeaders(),
  )
  await assert.rejects(silent.ask({ signal: AbortSignal.timeout(300) }), { name: 'TimeoutError' })
  await until(() => removedCount === 1)
  await using busy = await serve(fails(429, '', { 'retry-after': '30' }))
  await assert.rejects(busy.ask({ signal: AbortSignal.timeout(300) }), { name: /AbortError|TimeoutError/ })
})
