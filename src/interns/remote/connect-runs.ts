import type { ClientRequest, Agent as HttpAgent, IncomingMessage, RequestOptions } from 'node:http'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Fault } from '#platform/core/fault.ts'
import { Agent, request as httpRequest } from '#platform/net/node-http.ts'
import { contractVersion, type DaemonApi } from '../contract/daemon-api.ts'
import type { Bytes } from '../contract/files.ts'
import { Refusal } from '../contract/refusal.ts'
import { connectFiles } from './connect-files.ts'
import { connectTranscripts } from './connect-transcripts.ts'
import { createDaemonClient, encodePathSegment, maxResponseBytes, readText } from './daemon-client.ts'
import type { InternLog } from './log.ts'
import { readEvents } from './read-events.ts'
import {
  checkRulesAccepted,
  readCancelled,
  readDecisions,
  readDrainRetryMs,
  readHealth,
  readLog,
  readPermissionDetails,
  readRefusal,
} from './read-response.ts'
import { connectTls, isSecured, type TlsAddress } from './tls-connection.ts'

/** Where a daemon listens, on this host or on another, and the token that it requires. */
export type DaemonAddress = LocalAddress | TlsAddress
type LocalAddress = { token: string; socketPath: string }

/** A permission contains at most one message of an agent. Each character needs up to six bytes. */
const maxPermissionBytes = 64 * 1024 * 1024
/** A page has at most 500 decisions with details of 2,000 UTF-16 units, each of up to six bytes. */
const maxDecisionsBytes = 8 * 1024 * 1024

/**
 * Creates a client for the daemon of an intern. `close` ends all requests.
 * @param address the address, or a function that finds the current address for each request.
 */
export function connectRuns(
  address: DaemonAddress | (() => Promise<DaemonAddress>),
  { timeoutMs }: { timeoutMs?: number } = {},
): DaemonApi & { close(): void } {
  // A new connection for each request: if a reused connection closed, it would be unknown whether a turn started on it.
  const agent = new Agent({ keepAlive: false })
  const tlsSockets = new Set<Socket>()
  const openConnection = async (): Promise<LocalAddress | OpenConnection> => {
    const daemonAddress = typeof address === 'function' ? await address() : address
    if (!('tls' in daemonAddress)) return daemonAddress
    const socket = connectTls(daemonAddress)
    tlsSockets.add(socket)
    socket.once('close', () => tlsSockets.delete(socket))
    return { socket, token: daemonAddress.token }
  }
  const connections = new PrewarmedConnection(openConnection)
  const send = async (method: string, path: string, body?: object | Bytes, signal?: AbortSignal) =>
    sendRequest(await connections.take(), { method, path, body, signal }, agent)
  const client = createDaemonClient(send, timeoutMs)
  const { requestText } = client
  const streamTurn = async (path: string, body: object, signal: AbortSignal) =>
    readEvents(await send('POST', path, body, signal), signal)
  return {
    transcripts: connectTranscripts(client),
    files: connectFiles(client),
    start: (turn, signal) => streamTurn('/turns', turn, signal),
    answer: (response, signal) => streamTurn('/answers', response, signal),
    cancel: async (runId, exceededBudget, neededUsd) => {
      const reason = new URLSearchParams()
      if (exceededBudget) reason.set('spent', exceededBudget)
      if (neededUsd !== undefined) reason.set('needed_usd', String(neededUsd))
      const path = `/runs/${encodePathSegment(runId)}${reason.size > 0 ? `?${reason}` : ''}`
      return readCancelled(await requestText('DELETE', path))
    },
    question: async (id, signal) => {
      const options = { signal, maxBytes: maxPermissionBytes }
      return readPermissionDetails(await requestText('GET', `/questions/${encodePathSegment(id)}`, options))
    },
    setRules: async (rules, signal) => checkRulesAccepted(await requestText('PUT', '/rules', { body: rules, signal })),
    decisions: async (afterSeq) =>
      readDecisions(await requestText('GET', `/decisions?after=${afterSeq}`, { maxBytes: maxDecisionsBytes })),
    drain: async (idleMs, signal) => readDrainRetryMs(await requestText('POST', '/rest', { body: { idleMs }, signal })),
    health: async (signal) => readHealth(await requestText('GET', '/health', { signal })),
    prewarm: () => connections.prewarm(),
    close: () => {
      agent.destroy()
      for (const socket of tlsSockets) socket.destroy()
    },
  }
}

/** Opens connections, and at most one in advance. */
class PrewarmedConnection {
  readonly #open: () => Promise<LocalAddress | OpenConnection>
  #prewarmed: Promise<LocalAddress | OpenConnection> | undefined

  constructor(open: () => Promise<LocalAddress | OpenConnection>) {
    this.#open = open
  }

  /** Opens a connection for the next call of `take`. @returns a function that closes it if it was not taken. */
  prewarm(): () => void {
    const prewarmed = this.#open()
    this.#prewarmed = prewarmed
    prewarmed.then((connection) => 'socket' in connection && connection.socket.on('error', () => {})).catch(() => {})
    return () => {
      if (this.#prewarmed !== prewarmed) return
      this.#prewarmed = undefined
      prewarmed.then((connection) => 'socket' in connection && connection.socket.destroy()).catch(() => {})
    }
  }

  /** Returns the prewarmed connection, or a new one. */
  async take(): Promise<LocalAddress | OpenConnection> {
    const prewarmed = this.#prewarmed
    this.#prewarmed = undefined
    const connection = await (prewarmed ?? this.#open())
    // If the connection failed before this request used it, another attempt succeeds, or reports the reason.
    return prewarmed && 'socket' in connection && connection.socket.destroyed ? this.#open() : connection
  }
}

/** The token on connections that serve one request: TLS has authenticated both sides. */
export const hostConnectionToken = 'nobody else has this connection'

/** The files and transcripts of an intern, through connections that serve one request each. */
export function connectStorage(connect: () => Promise<Socket>): Pick<DaemonApi, 'files' | 'transcripts'> {
  const send = async (method: string, path: string, body?: object | Bytes, signal?: AbortSignal) =>
    sendRequest({ socket: await connect(), token: hostConnectionToken }, { method, path, body, signal })
  const client = createDaemonClient(send)
  return { files: connectFiles(client), transcripts: connectTranscripts(client) }
}

/** Reads the end of the daemon's log from the server on the intern's host. */
export async function readDaemonLog(connect: () => Promise<Socket>, bytes: number): Promise<InternLog> {
  const connection = { socket: await connect(), token: hostConnectionToken }
  const response = await sendRequest(connection, { method: 'GET', path: `/log?bytes=${bytes}` })
  // In JSON each character needs up to six bytes.
  return readLog(await readText(response, 6 * bytes + maxResponseBytes))
}

/** An open connection, and the token of the other side. */
type OpenConnection = { socket: Socket; token: string }

type DaemonRequest = {
  method: string
  path: string
  body?: object | Bytes | undefined
  signal?: AbortSignal | undefined
}

/** @param agent the agent for a new connection to `address`. @throws Refusal for a status other than 200. */
async function sendRequest(
  address: LocalAddress | OpenConnection,
  { method, path, body, signal }: DaemonRequest,
  agent?: HttpAgent,
): Promise<IncomingMessage> {
  const headers = { authorization: `Bearer ${address.token}`, 'content-type': 'application/json' }
  const options = { method, path: `/v${contractVersion}${path}`, headers, signal }
  const request = openRequest(address, agent, options)
  const response = await awaitResponse(request, body)
  if (response.statusCode === 200) return response
  try {
    throw readRefusal(await readText(response), response.statusCode ?? 0)
  } finally {
    // The rest of the body is not sent.
    request.destroy()
  }
}

function openRequest(
  address: LocalAddress | OpenConnection,
  agent: HttpAgent | undefined,
  options: RequestOptions,
): ClientRequest {
  if ('socket' in address) return httpRequest({ ...options, createConnection: () => address.socket })
  return httpRequest({ ...options, agent, socketPath: address.socketPath })
}

/** The error of a rejected client certificate. It arrives after the handshake, before the request is processed. */
const refusedCertificate = /^ERR_SSL_.*ALERT_.*(CERTIFICATE|UNKNOWN_CA)/

function awaitResponse(request: ClientRequest, body: object | Bytes | undefined): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    let isConnected = false
    let bodyFault: Fault | undefined
    request.once('socket', (socket) => {
      const isTls = 'encrypted' in socket
      isConnected = isTls ? isSecured(socket) : !socket.connecting
      if (!isConnected) socket.once(isTls ? 'secureConnect' : 'connect', () => (isConnected = true))
    })
    request.once('response', resolve)
    request.once('error', (error: NodeJS.ErrnoException) => {
      // Without a connection no turn was started. On an open connection, a turn can have started.
      if (bodyFault) reject(bodyFault)
      else if (isConnected && !refusedCertificate.test(error.code ?? ''))
        reject(new Refusal('stream_severed', 'The connection to the intern broke before its response.'))
      else reject(new Refusal('intern_unreachable', `The intern cannot be reached: ${unreachableReason(error)}`))
    })
    if (body && Symbol.asyncIterator in body) void upload(body, request, (fault) => (bodyFault = fault))
    else request.end(body && JSON.stringify(body))
  })
}

/** The reason without the path of a socket on the host, which callers must not see. */
function unreachableReason(error: NodeJS.ErrnoException & { address?: string }): string {
  if (!error.address?.startsWith('/')) return error.message
  return `its process does not respond (${error.code ?? 'unknown error'}). Try again shortly.`
}

/**
 * Sends a body. A failure of either side destroys both streams. The error of the request does not have the reason, so
 * `onFault` gets it first: the client was too slow, or has disconnected.
 */
async function upload(body: Bytes, request: ClientRequest, onFault: (fault: Fault) => void): Promise<void> {
  async function* pieces() {
    try {
      yield* body
    } catch (error) {
      if (error instanceof Fault) onFault(error)
      throw error
    }
  }
  await pipeline(Readable.from(pieces(), { objectMode: false }), request).catch(() => {})
}
