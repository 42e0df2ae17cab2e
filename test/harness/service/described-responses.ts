import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { after, afterEach } from 'node:test'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { apiPrefix } from '#api/access/prefix.ts'
import { describeApi } from '#api/server/description.ts'
import { routerPath } from '#platform/http/known-paths.ts'
import { createResponseDescriptions, type ResponseDescription } from './response-descriptions.ts'

/** Longer responses are not checked, so that tests can measure the memory of long streams. */
const maxCheckedLength = 1024 * 1024

/** Faults that fail the current test, and others, which are printed at the end of the file. */
const faults = new Set<string>()
const notes = new Set<string>()
let descriptions: Map<string, ResponseDescription> | undefined

function failWithFaults(): void {
  if (faults.size === 0) return
  const texts = [...faults]
  faults.clear()
  throw new Error(`Answers that differ from the API description:\n${texts.join('\n')}`)
}
afterEach(failWithFaults)
after(() => {
  if (notes.size > 0) console.log(`Answers that the API description lacks:\n${[...notes].join('\n')}`)
  failWithFaults()
})

/**
 * Compares every response of a service with the API description. A body that differs, also by another field, fails the
 * current test. So do other statuses, headers and events if `isStrict`; otherwise they are printed.
 */
export function checkResponses(app: FastifyInstance, isStrict: boolean): void {
  descriptions ??= createResponseDescriptions(describeApi(), (path) => apiPrefix + routerPath(path))
  const recordings = new WeakMap<Socket, Buffer[]>()
  app.server.on('connection', (socket) => recordings.set(socket, recordWrites(socket)))
  app.addHook('onRequest', (request, reply, done) => {
    const description = descriptions!.get(`${request.method} ${request.routeOptions.url}`)
    const recorded = recordings.get(request.raw.socket)
    if (recorded && description) checkAtEnd(reply.raw, recorded, description, isStrict)
    done()
  })
}

/** Records the bytes of the current response. Streams write to the socket directly, so the response does not have them all. */
function recordWrites(socket: Socket): Buffer[] {
  const recorded: Buffer[] = []
  let length = 0
  const write = socket.write.bind(socket) as (...args: unknown[]) => boolean
  socket.write = (chunk: string | Uint8Array, ...rest: unknown[]) => {
    const encoding = typeof rest[0] === 'string' ? (rest[0] as BufferEncoding) : 'utf8'
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk, encoding) : Buffer.from(chunk)
    if (recorded.length === 0) length = 0
    length += bytes.length
    // An empty last piece marks a response that is too long to check.
    if (length <= maxCheckedLength) recorded.push(bytes)
    else if (recorded.at(-1)?.length !== 0) recorded.splice(0, recorded.length, Buffer.alloc(0))
    return write(chunk, ...rest)
  }
  return recorded
}

function checkAtEnd(
  response: ServerResponse,
  recorded: Buffer[],
  description: ResponseDescription,
  isStrict: boolean,
): void {
  recorded.length = 0
  response.on('finish', () => {
    const pieces = recorded.splice(0)
    if (pieces.length === 0 || pieces.at(-1)?.length === 0) return
    for (const { part, text } of description.listFaults(readResponse(Buffer.concat(pieces))))
      (isStrict || part === 'body' ? faults : notes).add(text)
  })
}

/** Parses the bytes of a response of HTTP/1.1. */
function readResponse(bytes: Buffer): { status: number; headers: Headers; body: string } {
  const headEnd = bytes.indexOf('\r\n\r\n')
  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, headEnd).split('\r\n')
  const rest = bytes.subarray(headEnd + 4)
  const status = Number(statusLine.split(' ')[1])
  if (status === 100) return readResponse(rest)
  const headers = new Headers(
    lines.map((line): [string, string] => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon), line.slice(colon + 1).trim()]
    }),
  )
  const sent = headers.get('transfer-encoding') === 'chunked' ? joinChunks(rest) : rest
  return { status, headers, body: decode(sent, headers.get('content-encoding')) }
}

function joinChunks(bytes: Buffer): Buffer {
  const chunks: Buffer[] = []
  for (let at = 0; at < bytes.length; ) {
    const lineEnd = bytes.indexOf('\r\n', at)
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16)
    if (!(size > 0)) break
    chunks.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size))
    at = lineEnd + 2 + size + 2
  }
  return Buffer.concat(chunks)
}

const decoders: Record<string, (bytes: Buffer) => Buffer> = {
  br: (bytes) => brotliDecompressSync(bytes),
  gzip: (bytes) => gunzipSync(bytes),
  zstd: (bytes) => zstdDecompressSync(bytes),
}

function decode(bytes: Buffer, encoding: string | null): string {
  const decoder = encoding === null || bytes.length === 0 ? undefined : decoders[encoding]
  return (decoder ? decoder(bytes) : bytes).toString()
}
