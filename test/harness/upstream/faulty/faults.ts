import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import {
  chunk,
  completeResponse,
  completion,
  deltaEvent,
  doneEvent,
  type FaultyBehaviour,
  head,
  lastChunk,
  roleDelta,
  textEvents,
  usageChunk,
} from './faulty-upstream.ts'

const streamEvents = (...events: string[]): FaultyBehaviour => streamed(events.join(''))
const streamed =
  (bytes: string | Buffer, headers = ''): FaultyBehaviour =>
  ({ socket }) =>
    socket.write(Buffer.concat([Buffer.from(head('text/event-stream', headers)), chunk(bytes), Buffer.from(lastChunk)]))
const respondWith =
  (status: number, body: string | Buffer, more?: string): FaultyBehaviour =>
  ({ socket }) =>
    socket.write(completeResponse(status, body, more))
const json = 'content-type: application/json\r\n'

/** A stream if the request asks for one, else a whole response, in the bytes that `encode` produces. */
const encodedBy =
  (name: string, encode: (text: string) => Buffer): FaultyBehaviour =>
  (request) =>
    request.body.stream
      ? streamed(encode(textEvents('Hello ', 'world').join('')), `content-encoding: ${name}\r\n`)(request)
      : respondWith(200, encode(completion('Hello world')), `${json}content-encoding: ${name}\r\n`)(request)

const inPieces =
  (bytes: Buffer, size: number): FaultyBehaviour =>
  ({ socket }) => {
    socket.write(head())
    for (let offset = 0; offset < bytes.length; offset += size)
      socket.write(chunk(bytes.subarray(offset, offset + size)))
    socket.write(lastChunk)
  }

/** Valid responses, each in a different form. All have the text `Hello world`, or the one in their entry. */
export const validResponses: Record<string, FaultyBehaviour> = {
  ok: encodedBy('identity', Buffer.from),
  gzip: encodedBy('gzip', gzipSync),
  br: encodedBy('br', brotliCompressSync),
  deflate: encodedBy('deflate', deflateSync),
  crlf: streamEvents(...textEvents('Hello ', 'world').map((event) => event.replaceAll('\n', '\r\n'))),
  comments: streamEvents(
    ': hi\n\n',
    ': still here\n\n',
    ...textEvents('Hello ', 'world').map((event) => `: c\n${event}`),
  ),
  bytewise: inPieces(Buffer.from(textEvents('Hello ', 'world').join('')), 1),
  /** Cut within every multi-byte character. */
  umlauts: inPieces(Buffer.from(textEvents('Grüße ', 'aus 東京 🚂').join('')), 3),
  without_done: streamEvents(...textEvents('Hello ', 'world').slice(0, -1)),
  stays_open: ({ socket }) =>
    socket.write(Buffer.concat([Buffer.from(head()), chunk(textEvents('Hello ', 'world').join(''))])),
  json_for_stream: respondWith(200, completion('Hello world')),
  /** The name of a property that every object has is not an encoding. */
  odd_encoding: respondWith(200, completion('Hello world'), `${json}content-encoding: constructor\r\n`),
  byte_order_mark: streamEvents(
    `\ufeff${deltaEvent({ role: 'assistant', content: 'Hello ' })}`,
    ...textEvents('world').slice(1),
  ),
  stream_for_json: streamEvents(...textEvents('Hello ', 'world')),
  big_event: streamEvents(...textEvents('x'.repeat(10 * 1024 * 1024))),
  early_hints: ({ socket, body }) => {
    socket.write('HTTP/1.1 103 Early Hints\r\nlink: <x>\r\n\r\n')
    encodedBy('identity', Buffer.from)({ socket, body } as never)
  },
  pretty_usage: streamEvents(
    roleDelta,
    deltaEvent({ content: 'Hello world' }, 'stop'),
    usageChunk.replace('"usage":{', '"usage":\ndata: {'),
    doneEvent,
  ),
}

const deeplyNested = '['.repeat(20_000) + ']'.repeat(20_000)

/** Fails before the first byte of a response: the status for the client, and whether the next endpoint is tried. */
export const earlyFaults: Record<string, { behaviour: FaultyBehaviour; status: number; tryNext: boolean }> = {
  reset_at_once: { behaviour: ({ socket }) => void socket.resetAndDestroy(), status: 502, tryNext: true },
  closed_at_once: { behaviour: ({ socket }) => void socket.end(), status: 502, tryNext: true },
  closed_after_head: { behaviour: ({ socket }) => void socket.end(head()), status: 502, tryNext: true },
  empty_stream: { behaviour: streamEvents(), status: 502, tryNext: true },
  only_done: { behaviour: streamEvents(doneEvent), status: 502, tryNext: true },
  never_answers: { behaviour: () => {}, status: 408, tryNext: true },
  only_head: { behaviour: ({ socket }) => void socket.write(head()), status: 408, tryNext: true },
  error_500: { behaviour: respondWith(500, '{"error":{"message":"it broke"}}'), status: 502, tryNext: true },
  error_401: {
    behaviour: respondWith(401, '{"error":{"message":"bad key sk-0123456789abcdef"}}'),
    status: 502,
    tryNext: true,
  },
  error_400: { behaviour: respondWith(400, '{"error":{"message":"no such field"}}'), status: 400, tryNext: false },
  error_html: {
    behaviour: respondWith(503, '<h1>Down</h1>', 'content-type: text/html\r\n'),
    status: 502,
    tryNext: true,
  },
  error_first: {
    behaviour: streamEvents('data: {"error":{"message":"overloaded","code":529}}\n\n'),
    status: 502,
    tryNext: true,
  },
  ok_with_error: { behaviour: respondWith(200, '{"error":{"message":"no","code":500}}'), status: 502, tryNext: true },
  truncated_json: { behaviour: respondWith(200, completion('Hello').slice(0, -20)), status: 502, tryNext: true },
  deep_json: {
    behaviour: respondWith(
      200,
      completion('Hello', { deep: 1 }).replace('"deep":1', `"deep":${deeplyNested},"usage":{}`),
    ),
    status: 502,
    tryNext: true,
  },
  error_in_a_number: {
    behaviour: streamEvents('data: {"error":{"message":5,"code":429}}\n\n'),
    status: 429,
    tryNext: true,
  },
  not_json: { behaviour: respondWith(200, 'hello'), status: 502, tryNext: true },
  malformed_first: { behaviour: streamEvents('data: {"choices":[\n\n'), status: 502, tryNext: true },
  truncated_gzip: {
    behaviour: streamed(gzipSync(textEvents('Hello').join('')).subarray(0, 40), 'content-encoding: gzip\r\n'),
    status: 502,
    tryNext: true,
  },
  endless_headers: { behaviour: endlessHeaders, status: 502, tryNext: true },
  endless_error: { behaviour: endlessError, status: 502, tryNext: true },
  not_http: { behaviour: ({ socket }) => void socket.end('SSH-2.0-OpenSSH\r\n'), status: 502, tryNext: true },
}

const slowDown = '{"error":{"message":"slow down"}}'

/** Rate limits that state their duration in both forms: seventy seconds. */
export const rateLimits: Record<string, FaultyBehaviour> = {
  limited: respondWith(429, slowDown, `${json}retry-after: 70\r\n`),
  limited_date: (request) => {
    // Dates have whole seconds, which are rounded up here as they are towards the client.
    const date = new Date(Math.ceil((Date.now() + 69_001) / 1000) * 1000).toUTCString()
    respondWith(429, slowDown, `${json}retry-after: ${date}\r\n`)(request)
  },
}

const partialResponse = [roleDelta, deltaEvent({ content: 'Hello ' })].join('')

/** Fails after the client has got the first bytes of a response. */
export const lateFaults: Record<string, { behaviour: FaultyBehaviour; code: number }> = {
  reset_later: {
    behaviour: ({ socket }) => {
      socket.write(Buffer.concat([Buffer.from(head()), chunk(partialResponse)]))
      setTimeout(() => socket.resetAndDestroy(), 20)
    },
    code: 502,
  },
  closed_later: {
    behaviour: ({ socket }) => void socket.end(Buffer.concat([Buffer.from(head()), chunk(partialResponse)])),
    code: 502,
  },
  ended_later: { behaviour: streamEvents(partialResponse), code: 502 },
  silent_later: {
    behaviour: ({ socket }) => void socket.write(Buffer.concat([Buffer.from(head()), chunk(partialResponse)])),
    code: 408,
  },
  malformed_later: { behaviour: streamEvents(partialResponse, 'data: {"choices":[\n\n'), code: 502 },
  error_later: {
    behaviour: streamEvents(partialResponse, 'data: {"error":{"message":"overloaded","code":529}}\n\n'),
    code: 502,
  },
}

function endlessHeaders({ socket }: Parameters<FaultyBehaviour>[0]): void {
  socket.write('HTTP/1.1 200 OK\r\n')
  const writeMore = () => {
    while (socket.writable && socket.write(`x-${'y'.repeat(1000)}: z\r\n`));
  }
  socket.on('drain', writeMore)
  writeMore()
}

function endlessError({ socket }: Parameters<FaultyBehaviour>[0]): void {
  socket.write('HTTP/1.1 500 X\r\ncontent-type: text/plain\r\ntransfer-encoding: chunked\r\n\r\n')
  const writeMore = () => {
    while (socket.writable && socket.write(chunk('nonsense '.repeat(1000))));
  }
  socket.on('drain', writeMore)
  writeMore()
}
