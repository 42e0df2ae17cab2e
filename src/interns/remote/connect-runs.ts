import type { ClientRequest, Agent as HttpAgent, IncomingMessage, RequestOptions } from 'node:http'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Agent, request as httpRequest } from '#platform/net/node-http.ts'
import type { Bytes } from '../contract/files.ts'
import { Refusal } from '../contract/refusal.ts'
import { contractVersion, type Runs } from '../contract/runs.ts'
import { pathSegment } from '../registry/path-segment.ts'
import { connectFiles } from './connect-files.ts'
import { connectTranscripts } from './connect-transcripts.ts'
import type { InternLog } from './log.ts'
import {
  readCancelled,
  readDecisions,
  readHealth,
  readJudging,
  readLogAnswer,
  readRefusal,
  readResting,
  readWholePermission,
} from './read-answer.ts'
import { readEvents } from './read-events.ts'
import { connectTls, isSecured, type TlsAddress } from './tls-connection.ts'

/** Where a daemon listens, on this host or on another, and the token that it requires. */
export type DaemonAddress = Near | TlsAddress
type Near = { token: string; socketPath: string }

/** The longest answer that is not a stream. An agent may control its daemon, but it cannot fill our memory. */
const maxAnswerBytes = 64 * 1024
/** A permission is about no more than one message of an agent, each character of which takes up to six bytes. */
const maxPermissionBytes = 64 * 1024 * 1024
const maxDecisionsBytes = 4 * 1024 * 1024

/**
 * The runs of an intern through its daemon. `close` breaks off what is going on.
 * @param address may have to be found out, for each request anew.
 */
export function connectRuns(address: DaemonAddress | (() => Promise<DaemonAddress>)): Runs & { close(): void } {
  // A connection for each request: a kept one may be closing, and whether a turn began on it could not be told.
  const agent = new Agent({ keepAlive: false })
  const far = new Set<Socket>()
  const open = async (): Promise<Near | Connected> => {
    const found = typeof address === 'function' ? await address() : address
    if (!('tls' in found)) return found
    const socket = connectTls(found)
    far.add(socket)
    socket.once('close', () => far.delete(socket))
    return { socket, token: found.token }
  }
  const connections = openAhead(open)
  const ask = async (method: string, path: string, body?: object | Bytes, signal?: AbortSignal) =>
    exchange(await connections.take(), agent, method, path, body, signal)
  const turn = async (path: string, body: object, signal: AbortSignal) =>
    readEvents(await ask('POST', path, body, signal), signal)
  return {
    transcripts: connectTranscripts({ ask, readText }),
    files: connectFiles({ ask, readText }),
    start: (turnToStart, signal) => turn('/turns', turnToStart, signal),
    answer: (answer, signal) => turn('/answers', answer, signal),
    cancel: async (runId, spent, neededUsd) => {
      const why = new URLSearchParams({
        ...(spent && { spent }),
        ...(neededUsd !== undefined && { needed_usd: String(neededUsd) }),
      })
      const response = await ask('DELETE', `/runs/${pathSegment(runId)}${why.size > 0 ? `?${why}` : ''}`)
      return readCancelled(await readText(response))
    },
    question: async (id) => {
      const response = await ask('GET', `/questions/${pathSegment(id)}`)
      return readWholePermission(await readText(response, maxPermissionBytes))
    },
    judgeBy: async (rules, signal) => {
      readJudging(await readText(await ask('PUT', '/rules', rules, signal)))
    },
    decisions: async (afterSeq) =>
      readDecisions(await readText(await ask('GET', `/decisions?after=${afterSeq}`), maxDecisionsBytes)),
    rest: async (idleMs, signal) => readResting(await readText(await ask('POST', '/rest', { idleMs }, signal))),
    health: async (signal) => readHealth(await readText(await ask('GET', '/health', undefined, signal))),
    ahead: connections.ahead,
    close: () => {
      agent.destroy()
      for (const socket of far) socket.destroy()
    },
  }
}

/** `take` gives the connection that `ahead` has begun to make, if it has, and else a new one. */
function openAhead(open: () => Promise<Near | Connected>) {
  let opened: ReturnType<typeof open> | undefined
  const ahead = () => {
    const mine = open()
    opened = mine
    mine.then((made) => 'socket' in made && made.socket.on('error', () => {})).catch(() => {})
    return () => {
      if (opened !== mine) return
      opened = undefined
      mine.then((made) => 'socket' in made && made.socket.destroy()).catch(() => {})
    }
  }
  const take = async () => {
    const mine = opened
    opened = undefined
    const made = await (mine ?? open())
    // It did not come about. Nothing has been said on it, so another may be tried, which tells why.
    return mine && 'socket' in made && made.socket.destroyed ? open() : made
  }
  return { ahead, take }
}

/** Whoever answers on a connection to what is kept has no other, and who asks has been let in before. */
export const keptToken = 'nobody else has this connection'

/** What is kept of an intern, through connections that serve one request each. */
export function keptThrough(connect: () => Promise<Socket>): Pick<Runs, 'files' | 'transcripts'> {
  const ask = async (method: string, path: string, body?: object | Bytes, signal?: AbortSignal) =>
    exchange({ socket: await connect(), token: keptToken }, undefined, method, path, body, signal)
  return { files: connectFiles({ readText, ask }), transcripts: connectTranscripts({ ask, readText }) }
}

/** The end of a log that a server of the intern's host has, through a connection for this request. */
export async function logThrough(connect: () => Promise<Socket>, bytes: number): Promise<InternLog> {
  const to = { socket: await connect(), token: keptToken }
  const response = await exchange(to, undefined, 'GET', `/log?bytes=${bytes}`, undefined, undefined)
  // As JSON each character takes up to six bytes.
  return readLogAnswer(await readText(response, 6 * bytes + maxAnswerBytes))
}

/** A connection that is there already, to whoever knows this token. */
type Connected = { socket: Socket; token: string }

async function exchange(
  address: Near | Connected,
  agent: HttpAgent | undefined,
  method: string,
  path: string,
  body: object | Bytes | undefined,
  signal: AbortSignal | undefined,
): Promise<IncomingMessage> {
  const headers = { authorization: `Bearer ${address.token}`, 'content-type': 'application/json' }
  const asked = { method, path: `/v${contractVersion}${path}`, headers, ...(signal && { signal }) }
  const request = requestTo(address, agent, asked)
  const response = await answered(request, body)
  if (response.statusCode === 200) return response
  try {
    throw readRefusal(await readText(response), response.statusCode ?? 0)
  } finally {
    // What is still to be sent of a body is not wanted.
    request.destroy()
  }
}

function requestTo(address: Near | Connected, agent: HttpAgent | undefined, asked: RequestOptions): ClientRequest {
  if ('socket' in address) return httpRequest({ ...asked, createConnection: () => address.socket })
  return httpRequest({ ...asked, ...(agent && { agent }), socketPath: address.socketPath })
}

/** A certificate that the other side does not take: told after our side has made the connection, before anything begins. */
const refusedCertificate = /^ERR_SSL_.*ALERT_.*(CERTIFICATE|UNKNOWN_CA)/

function answered(request: ClientRequest, body: object | Bytes | undefined): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    let connected = false
    request.once('socket', (socket) => {
      const secure = 'encrypted' in socket
      connected = secure ? isSecured(socket) : !socket.connecting
      if (!connected) socket.once(secure ? 'secureConnect' : 'connect', () => (connected = true))
    })
    request.once('response', resolve)
    request.once('error', (error: NodeJS.ErrnoException) => {
      // Before there was a connection nothing can have begun; after it, a turn may have.
      if (connected && !refusedCertificate.test(error.code ?? ''))
        reject(new Refusal('stream_severed', 'The intern went away before it answered.'))
      else reject(new Refusal('intern_unreachable', `The intern cannot be reached: ${whyUnreachable(error)}`))
    })
    if (body && Symbol.asyncIterator in body) void upload(body, request)
    else request.end(body && JSON.stringify(body))
  })
}

/** Without the path of a socket on the host, which is not for callers. */
function whyUnreachable(error: NodeJS.ErrnoException & { address?: string }): string {
  if (!error.address?.startsWith('/')) return error.message
  return `its process does not answer (${error.code ?? 'unknown error'}). Try again in a moment.`
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
