import type { ClientRequest, Agent as HttpAgent, IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Agent, request as httpRequest } from '#lib/node-http.ts'
import { connectFiles } from './connect-files.ts'
import { connectTranscripts } from './connect-transcripts.ts'
import type { Bytes, InternFiles } from './files.ts'
import { readCancelled, readHealth, readRefusal, readWholePermission } from './read-answer.ts'
import { readEvents } from './read-events.ts'
import { Refusal } from './refusal.ts'
import { contractVersion, type Runs } from './runs.ts'

/** The daemon's socket, and the token that it requires. */
export type DaemonAddress = { socketPath: string; token: string }

/** The longest answer that is not a stream. An agent may control its daemon, but it cannot fill our memory. */
const maxAnswerBytes = 64 * 1024
/** A permission is about no more than one message of an agent, each character of which takes up to six bytes. */
const maxPermissionBytes = 64 * 1024 * 1024

/** The runs of an intern through the socket of its daemon. `close` breaks off what is going on. */
export function connectRuns(address: DaemonAddress): Runs & { close(): void } {
  // A connection for each request: a kept one may be closing, and whether a turn began on it could not be told.
  const agent = new Agent({ keepAlive: false })
  const ask = (method: string, path: string, body?: object, signal?: AbortSignal) =>
    exchange(address, agent, method, path, body, signal)
  const turn = async (path: string, body: object, signal: AbortSignal) =>
    readEvents(await ask('POST', path, body, signal), signal)
  return {
    transcripts: connectTranscripts({ ask, readText }),
    files: connectFiles({
      ask: (method, path, body, signal) => exchange(address, agent, method, path, body, signal),
      readText,
    }),
    start: (turnToStart, signal) => turn('/turns', turnToStart, signal),
    answer: (answer, signal) => turn('/answers', answer, signal),
    cancel: async (runId) => {
      const response = await ask('DELETE', `/runs/${encodeURIComponent(runId)}`)
      return readCancelled(await readText(response))
    },
    question: async (id) => {
      const response = await ask('GET', `/questions/${encodeURIComponent(id)}`)
      return readWholePermission(await readText(response, maxPermissionBytes))
    },
    health: async (signal) => readHealth(await readText(await ask('GET', '/health', undefined, signal))),
    close: () => agent.destroy(),
  }
}

/** The files alone, through a connection that is there already and serves one request. */
export function filesThrough(connect: () => Promise<{ socket: Socket; token: string }>): InternFiles {
  return connectFiles({
    readText,
    ask: async (method, path, body, signal) => {
      const { socket, token } = await connect()
      return exchange({ createConnection: () => socket, token }, undefined, method, path, body, signal)
    },
  })
}

async function exchange(
  { token, ...place }: DaemonAddress | { createConnection: () => Socket; token: string },
  agent: HttpAgent | undefined,
  method: string,
  path: string,
  body: object | Bytes | undefined,
  signal: AbortSignal | undefined,
): Promise<IncomingMessage> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const options = {
    ...place,
    ...(agent && { agent }),
    method,
    path: `/v${contractVersion}${path}`,
    headers,
    ...(signal && { signal }),
  }
  const request = httpRequest(options)
  const response = await answered(request, body)
  if (response.statusCode === 200) return response
  try {
    throw readRefusal(await readText(response), response.statusCode ?? 0)
  } finally {
    // What is still to be sent of a body is not wanted.
    request.destroy()
  }
}

function answered(request: ClientRequest, body: object | Bytes | undefined): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    let connected = false
    request.once('socket', (socket) => {
      connected = !socket.connecting
      if (!connected) socket.once('connect', () => (connected = true))
    })
    request.once('response', resolve)
    request.once('error', (error) => {
      // Before there was a connection nothing can have begun; after it, a turn may have.
      if (connected) reject(new Refusal('stream_severed', 'The intern went away before it answered.'))
      else reject(new Refusal('intern_unreachable', `The intern cannot be reached: ${error.message}`))
    })
    if (body && Symbol.asyncIterator in body) void upload(body, request)
    else request.end(body && JSON.stringify(body))
  })
}

/** A body that breaks off breaks the connection, and one that nobody wants any more is left. */
async function upload(body: Bytes, request: ClientRequest): Promise<void> {
  await pipeline(Readable.from(body, { objectMode: false }), request).catch(() => {})
}

async function readText(response: IncomingMessage, maxBytes = maxAnswerBytes): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new Refusal('intern_rejected', 'The intern answered with more than it ever should.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
