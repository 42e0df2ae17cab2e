import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { startFaultyService } from '#test/harness/service/faulty-service.ts'
import type { TestService } from '#test/harness/service/service.ts'
import { timed, until } from '#test/harness/until.ts'
import {
  chunk,
  deltaEvent,
  type FaultyBehaviour,
  head,
  lastChunk,
  roleDelta,
  startFaultyUpstream,
  textEvents,
} from '#test/harness/upstream/faulty/faulty-upstream.ts'

const behaviours: Record<string, FaultyBehaviour> = {
  /** A word every 20 ms, for ever. */
  talks: ({ socket }) => {
    socket.write(head())
    socket.write(chunk(roleDelta))
    const talking = setInterval(() => socket.write(chunk(deltaEvent({ content: 'word ' }))), 20)
    socket.on('close', () => clearInterval(talking))
  },
  thinks: () => {},
  floods: flood,
  /** Less than a megabyte that becomes 300. */
  bombs: ({ socket }) => {
    const member = gzipSync(deltaEvent({ content: 'x'.repeat(100_000) }).repeat(100))
    const bomb = Buffer.concat(Array.from({ length: 30 }, () => member))
    socket.write(head('text/event-stream', 'content-encoding: gzip\r\n'))
    socket.end(Buffer.concat([chunk(bomb), Buffer.from(lastChunk)]))
  },
  late: ({ socket }) => void setTimeout(() => socket.write(response('Hello')), 1500),
  late_failure: ({ socket }) => void setTimeout(() => socket.resetAndDestroy(), 1500),
}
const response = (...words: string[]) =>
  Buffer.concat([Buffer.from(head()), chunk(textEvents(...words).join('')), Buffer.from(lastChunk)])

function flood({ socket }: Parameters<FaultyBehaviour>[0]): void {
  socket.write(head())
  const event = chunk(deltaEvent({ content: 'x'.repeat(16 * 1024) }))
  const more = () => {
    while (socket.writable && socket.write(event));
  }
  socket.on('drain', more)
  more()
}

async function setUp(settings: object = {}) {
  const upstream = await startFaultyUpstream(behaviours)
  const service = await startFaultyService(upstream, Object.keys(behaviours), { settings })
  const dispose = async () => {
    await service[Symbol.asyncDispose]()
    await upstream[Symbol.asyncDispose]()
  }
  return { upstream, service, [Symbol.asyncDispose]: dispose }
}

/** A client that reads only on request. */
function openStream(service: TestService, model: string): Socket {
  const { hostname, port } = new URL(service.url)
  const body = JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: 'Hello there' }] })
  const socket = connect({ host: hostname, port: Number(port) })
  socket.write(
    `POST /api/v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${service.apiKey}\r\n` +
      `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
  return socket
}

const generationId = (response: string) => /x-generation-id: (\S+)/i.exec(response)?.[1] ?? ''

describe('a client that leaves', () => {
  test('cancels the upstream within 100 ms, and its output is metered', async () => {
    await using fixture = await setUp()
    const client = openStream(fixture.service, 'faulty/talks')
    let text = ''
    client.on('data', (bytes) => {
      text += bytes
    })
    await until(() => text.split('word ').length > 5)
    const { tookMs, allowedMs } = await timed(100, async () => {
      client.destroy()
      await until(() => fixture.upstream.requests[0]?.closedAt)
    })
    assert.ok(tookMs < allowedMs, `${tookMs} ms`)
    const { data } = await until(async () => {
      const found = await fixture.service.ask('GET', `/generation?id=${generationId(text)}`)
      return found.status === 200 ? found.body : undefined
    })
    assert.deepEqual([data.outcome, data.cancelled, data.tokens_estimated], ['client_left', true, true])
    // The end of the response is not a failure of its provider.
    assert.equal(data.error, undefined)
    assert.ok(data.tokens_completion >= 5 && data.tokens_prompt === 3 && data.total_cost > 0, JSON.stringify(data))
  })

  test('before the first byte cancels the upstream, and no other endpoint is tried', async () => {
    await using fixture = await setUp()
    const client = openStream(fixture.service, 'backed/thinks')
    await until(() => fixture.upstream.requests[0])
    client.destroy()
    await until(() => fixture.upstream.requests[0]?.closedAt)
    await sleep(50)
    assert.equal(fixture.upstream.requests.length, 1)
  })

  test('before the first byte is charged the prompt, unless the connection failed', async () => {
    await using fixture = await setUp()
    const results: unknown[] = []
    const [waiting, connecting] = ['faulty/thinks', 'faulty/mute'].map((model) => openStream(fixture.service, model))
    await until(() => fixture.upstream.requests[0])
    await sleep(200)
    connecting!.destroy()
    // Until that one would be written, too.
    await sleep(1000)
    waiting!.destroy()
    await until(async () => (await fixture.service.manage('GET', '/activity')).body.data.length > 0)
    for (const day of (await fixture.service.manage('GET', '/activity')).body.data)
      results.push([day.model, day.prompt_tokens, day.completion_tokens, day.usage])
    assert.deepEqual(results, [['faulty/thinks', 3, 0, 3e-6]])
  })

  test('while it reads nothing still takes the upstream with it', async () => {
    await using fixture = await setUp()
    const client = openStream(fixture.service, 'faulty/floods').pause()
    await sleep(500)
    client.destroy()
    await until(() => fixture.upstream.requests[0]?.closedAt)
  })
})

describe('a slow reader', () => {
  test('stops the upstream instead of filling memory, and loses nothing', async () => {
    await using fixture = await setUp()
    const before = process.memoryUsage().rss
    const client = openStream(fixture.service, 'faulty/floods').pause()
    const { socket } = await until(() => fixture.upstream.requests[0])
    let taken = -1
    await until(async () => {
      const before = taken
      taken = socket.bytesWritten
      assert.ok(taken < 24e6, `${taken} bytes were taken`)
      await sleep(500)
      return taken > 0 && taken === before
    })
    assert.ok(taken < 24e6, `${taken} bytes were taken`)
    assert.ok(process.memoryUsage().rss - before < 100e6)
    client.resume()
    await until(() => socket.bytesWritten > taken + 1e6)
    client.destroy()
  })

  test('limits decompressed data, however small the compressed body', async () => {
    await using fixture = await setUp()
    const client = openStream(fixture.service, 'faulty/bombs').pause()
    await until(() => fixture.upstream.requests[0])
    const before = process.memoryUsage().rss
    await sleep(1500)
    assert.ok(process.memoryUsage().rss - before < 150e6, `${process.memoryUsage().rss - before}`)
    client.destroy()
  })
})

describe('a stream that says nothing yet', () => {
  test('gets keep-alives, also before the first token', async () => {
    await using fixture = await setUp({ keepalive_ms: 100 })
    const client = openStream(fixture.service, 'faulty/late')
    const [bytes] = await once(client, 'data')
    assert.match(String(bytes), /^HTTP\/1.1 200 OK[\s\S]*: keepalive\n\n/)
    client.destroy()
    const { text } = await fixture.service.ask('POST', '/chat/completions', {
      body: { model: 'faulty/late', stream: true, messages: [{ role: 'user', content: 'Hi' }] },
    })
    assert.match(text, /^(: keepalive\n\n){2,}data: /)
    assert.match(text, /"content":"Hello"[\s\S]*data: \[DONE\]\n\n$/)
  })

  test('is started by that, so that a failure of every endpoint is sent in it', async () => {
    await using fixture = await setUp({ keepalive_ms: 100 })
    const { status, text } = await fixture.service.ask('POST', '/chat/completions', {
      body: { model: 'faulty/late_failure', stream: true, messages: [{ role: 'user', content: 'Hi' }] },
    })
    assert.equal(status, 200)
    assert.match(text, /: keepalive\n\ndata: .*"finish_reason":"error".*"code":502.*\n\ndata: \[DONE\]\n\n$/)
  })
})
