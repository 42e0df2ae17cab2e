import assert from 'node:assert/strict'
import { test } from 'node:test'
import pino from 'pino'
import { z } from '../json/schema.ts'
import { createApp } from './app.ts'
import { mountRoutes } from './mount.ts'
import { type AnyRoute, type Call, HttpResponse } from './route.ts'

const BodySchema = z.looseObject({ text: z.string().default('none') })
type BodyCall = Call<{ body: typeof BodySchema }, undefined>

/** Sends a body to a route. @returns the response, undefined if the connection was closed, and the logged messages. */
async function ask(handler: (call: BodyCall) => unknown, body: object = {}, spec: object = {}) {
  const logged: string[] = []
  const log = pino({ level: 'error' }, { write: (line: string) => void logged.push(JSON.parse(line).msg) })
  await using app = createApp({
    log,
    bodyLimit: 1_000_000,
    prefix: '',
    timeouts: { headersMs: 15_000, requestMs: 60_000, checkEveryMs: 5_000 },
  })
  const route: AnyRoute<undefined, undefined> = {
    method: 'post',
    path: '/x',
    tag: 'x',
    key: 'none',
    summary: 'X',
    faults: [],
    request: { body: BodySchema },
    handler,
    ...spec,
  }
  mountRoutes(app, [route], {
    deps: undefined,
    prefix: '',
    admit: async () => undefined,
    hostOf: () => undefined,
    uploadPace: { bytesPerSecond: 1000, pauseMs: 30_000 },
  })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${url}/x`, { method: 'POST', headers, body: JSON.stringify(body) })
    .then(async (given) => ({ status: given.status, headers: given.headers, text: await given.text() }))
    .catch(() => undefined)
  return { response, logged }
}

test('a failure of the handler is a 500, and is logged', async () => {
  const { response, logged } = await ask(() => assert.fail('a defect'))
  assert.deepEqual([response?.status, logged], [500, ['request failed']])
})

test('a failure after the first byte closes the connection', async () => {
  const { response, logged } = await ask(({ response: stream }) => {
    stream.write('a')
    throw new Error('a defect')
  })
  assert.deepEqual([response, logged], [undefined, ['a stream broke']])
})

test('the last piece of a stream is sent with its end, even if it is the only one', async () => {
  for (const pieces of [['a', 'b'], []]) {
    const { response } = await ask(({ response: stream }) => {
      stream.header('x-generation-id', 'one')
      stream.header('x-generation-id', 'two')
      for (const piece of pieces) stream.write(piece)
      stream.end(Buffer.from('c'))
    })
    assert.equal(response?.text, `${pieces.join('')}c`)
    assert.equal(response?.headers.get('content-type'), 'text/event-stream; charset=utf-8')
    assert.equal(response?.headers.get('x-generation-id'), 'two')
  }
})

test('a whole response is written before the next tick', async () => {
  let bytesWritten = 0
  const { response } = await ask(async ({ raw }) => {
    await undefined
    process.nextTick(() => {
      bytesWritten = raw.socket.bytesWritten
    })
    return new HttpResponse(200, {}, Buffer.from('{}'))
  })
  assert.equal(response?.status, 200)
  assert.notEqual(bytesWritten, 0)
})

test('JSON as text, as bytes and as an object has one content type', async () => {
  for (const responseBody of ['{}', Buffer.from('{}'), {}]) {
    const { response } = await ask(() => responseBody)
    assert.deepEqual([response?.text, response?.headers.get('content-type')], ['{}', 'application/json; charset=utf-8'])
  }
})

/** Sends a body of this length. @returns how many turns of the event loop passed between parsing and validating it. */
async function turnsToValidation(length: number): Promise<number | undefined> {
  let turns: number | undefined
  let immediate: NodeJS.Immediate | undefined
  const count = () => {
    turns = turns === undefined ? 0 : turns + 1
    immediate = setImmediate(count)
  }
  const { parse } = JSON
  const parseAndCount: typeof parse = (text, reviver) => {
    if (text.startsWith('{"text":"xx')) count()
    return parse(text, reviver)
  }
  let found: number | undefined
  const isCertainlyValid = () => {
    found = turns
    return true
  }
  JSON.parse = parseAndCount
  try {
    await ask(() => ({}), { text: 'x'.repeat(length) }, { keepsOriginalBody: true, isCertainlyValid })
  } finally {
    JSON.parse = parse
    clearImmediate(immediate)
  }
  return found
}

test('JSON as text has its length in bytes, also with characters beyond ASCII', async () => {
  for (const text of ['{"a":"plain"}', '{"a":"\u00e9t\u00e9 \u65e5\u672c"}', '{"a":"\u00e9"}']) {
    const { response } = await ask(() => text)
    assert.deepEqual([response?.text, response?.headers.get('content-length')], [text, `${Buffer.byteLength(text)}`])
  }
})

test('only a long body is validated in a later turn of the event loop', async () => {
  assert.equal(await turnsToValidation(1000), 0)
  assert.notEqual((await turnsToValidation(300_000)) ?? 0, 0)
})

test('a route that stores its body gets it without changes by the schema', async () => {
  const seen: unknown[] = []
  const handler = ({ body, source }: BodyCall) => {
    seen.push(body.text, source?.value === body)
    return {}
  }
  const long = { long: 'x'.repeat(10_000) }
  await ask(handler, {}, { keepsOriginalBody: true })
  await ask(handler, long, { keepsOriginalBody: true })
  await ask(handler, long)
  assert.deepEqual(seen, [undefined, false, undefined, true, 'none', false])
  const { response } = await ask(handler, { text: 5 }, { keepsOriginalBody: true })
  assert.equal(response?.status, 400)
})

test('a body that is passed on has no half of a surrogate pair', async () => {
  const seen: unknown[] = []
  const handler = ({ body, source }: BodyCall) => {
    seen.push(
      body.text,
      source &&
        Buffer.concat(source.serializeWith({}) ?? [])
          .toString()
          .includes('\\ud83d'),
    )
    return {}
  }
  for (const more of [{}, { long: 'x'.repeat(10_000) }])
    await ask(handler, { text: 'a\ud83d', ...more }, { keepsOriginalBody: true })
  assert.deepEqual(seen, ['a\ufffd', undefined, 'a\ufffd', false])
})

test('a body with U+0000 is refused, except where texts are passed on', async () => {
  const statusFor = async (key: string) => (await ask(() => ({}), { text: 'a\0b' }, { key })).response?.status
  assert.deepEqual(await Promise.all(['management', 'any', 'none', 'api'].map(statusFor)), [400, 400, 400, 200])
})
