import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import { contractVersion, type DaemonApi } from '#interns/contract/daemon-api.ts'
import { Refusal } from '#interns/contract/refusal.ts'
import { closesStream, type TurnEvent } from '#interns/contract/turn-event.ts'
import { Fault } from '#platform/core/fault.ts'
import { findFramingError } from '#platform/http/request/framing.ts'
import { faultStatus } from '#platform/http/response/faults.ts'
import { serializeRequests } from '#platform/net/bodies/pipelined-requests.ts'
import { discardBody } from '#platform/net/bodies/request-body.ts'
import { createServer } from '#platform/net/node-http.ts'
import { serveFiles } from '../files/serve-files.ts'
import { sendJson, waitForDrain } from '../http-response.ts'
import type { DaemonLog } from '../log.ts'
import { serveMilestones, serveSessions } from '../transcript/serve.ts'
import { readAnswer, readExceededBudget, readIdleMs, readJson, readRules, readTurn } from './request.ts'
import { splitEvent } from './split-event.ts'

type HttpServerDeps = { api: DaemonApi; token: string; log: DaemonLog }
type Exchange = { request: IncomingMessage; response: ServerResponse }

/**
 * Serves the contract `DaemonApi` over HTTP. A started turn is a response of 200 with one event per line; a turn that does not
 * start is an error. If the connection breaks before the last event, the caller has disconnected.
 */
export function createHttpServer(
  deps: HttpServerDeps,
  create: (listener: RequestListener) => Server = createServer,
): Server {
  const server = create(
    serializeRequests((request, response) => {
      serve(deps, { request, response }).catch((error) => {
        discardBody(request)
        sendError(deps, response, error)
      })
    }),
  )
  // No time limit for a request, because a large upload can take any time. Instead, bodies have a lowest rate.
  server.requestTimeout = 0
  server.keepAliveTimeout = 60_000
  return server
}

async function serve(deps: HttpServerDeps, { request, response }: Exchange): Promise<void> {
  requireValidFraming(request, response)
  if (!isAuthorized(deps.token, request.headers.authorization))
    throw new Fault('unauthenticated', 'Wrong token.', { type: 'unauthorized' })
  const { path, query } = parseAddress(request)
  const disconnectController = new AbortController()
  response.once('close', () => disconnectController.abort())
  const { api } = deps
  switch (`${request.method} /${path[0]}`) {
    case 'GET /health':
      return sendJson(response, 200, await api.health())
    case 'POST /rest':
      return sendJson(response, 200, { againAfterMs: await api.drain(readIdleMs(await readJson(request))) })
    case 'POST /turns':
      return writeEvents(response, await api.start(readTurn(await readJson(request)), disconnectController.signal))
    case 'POST /answers':
      return writeEvents(response, await api.answer(readAnswer(await readJson(request)), disconnectController.signal))
    case 'DELETE /runs':
      return sendJson(response, 200, { cancelled: await cancelRun(api, path[1] ?? '', query) })
    case 'GET /sessions':
      return serveSessions(api.transcripts, { path, query, response, signal: disconnectController.signal })
    case 'GET /milestones':
      return serveMilestones(api.transcripts, { query, response, signal: disconnectController.signal })
    case 'GET /files':
    case 'PUT /files':
    case 'POST /files':
    case 'DELETE /files': {
      const operation = `${request.method} ${path[1] ?? ''}`
      return serveFiles(api.files, { operation, query, request, response, signal: disconnectController.signal })
    }
    case 'GET /questions':
      return sendJson(response, 200, { question: (await api.question(path[1] ?? '')) ?? null })
    case 'PUT /rules':
      await api.setRules(readRules(await readJson(request)))
      return sendJson(response, 200, { judging: true })
    case 'GET /decisions':
      return sendJson(response, 200, { decisions: await api.decisions(Number(query.get('after')) || 0) })
    default:
      throw new Fault('not_found', `There is no ${request.method} /${path.join('/')}.`, { type: 'unknown_operation' })
  }
}

function requireValidFraming(request: IncomingMessage, response: ServerResponse): void {
  const error = findFramingError(request)
  if (error === undefined) return
  // The start of the next request on this connection is unknown.
  response.shouldKeepAlive = false
  throw new Fault('invalid', error)
}

/** @returns the names of the path after the version of the contract. @throws Fault for another version. */
function parseAddress(request: IncomingMessage): { path: string[]; query: URLSearchParams } {
  const url = URL.parse(request.url ?? '/', 'http://daemon')
  if (!url) throw new Fault('invalid', 'The path is not valid.')
  const [, version = '', ...path] = url.pathname.split('/')
  if (version === `v${contractVersion}`) return { path, query: url.searchParams }
  const message = `This intern speaks version ${contractVersion} of the runs contract, not "${version}".`
  throw new Fault('not_found', message, { type: 'version_mismatch' })
}

function cancelRun(api: DaemonApi, runId: string, query: URLSearchParams): Promise<boolean> {
  const { exceededBudget, neededUsd } = readExceededBudget(query)
  return api.cancel(runId, exceededBudget, neededUsd)
}

/** Writes events as fast as the caller reads them. Unread events stay in the outbox of the run. */
async function writeEvents(response: ServerResponse, events: AsyncIterable<TurnEvent>): Promise<void> {
  // The end of the connection delimits the body. Without chunked encoding each event is one write.
  response.removeHeader('transfer-encoding')
  response.writeHead(200, { 'content-type': 'application/x-ndjson' })
  for await (const event of events) {
    for (const part of splitEvent(event)) {
      const line = `${JSON.stringify(part)}\n`
      if (closesStream(part)) return void response.end(line)
      if (!response.write(line)) await waitForDrain(response)
    }
  }
  // The stream has no closing event, so the caller must not see a regular end.
  response.destroy()
}

function sendError({ log }: HttpServerDeps, response: ServerResponse, error: unknown): void {
  if (response.destroyed) return
  if (response.headersSent) return void response.destroy()
  if (error instanceof Refusal) {
    const { kind, message, retryable } = error
    return sendJson(response, error.code, { error: { kind, message, retryable } })
  }
  if (error instanceof Fault) {
    const { kind, message, details } = error
    return sendJson(response, faultStatus[kind], { error: { kind: details.type ?? kind, message } })
  }
  log('request.failed', { why: error instanceof Error ? error.stack : String(error) })
  sendJson(response, 500, { error: { kind: 'internal', message: 'The daemon failed; its log says why.' } })
}

/** Compares digests, so that the time depends neither on the length nor on the content of the token. */
function isAuthorized(token: string, header: string | undefined): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(header ?? ''), digest(`Bearer ${token}`))
}
