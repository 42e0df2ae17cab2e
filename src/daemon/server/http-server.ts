import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import { Refusal } from '#interns/contract/refusal.ts'
import { contractVersion, type Runs } from '#interns/contract/runs.ts'
import { closesStream, type TurnEvent } from '#interns/contract/turn-event.ts'
import { createServer } from '#platform/net/node-http.ts'
import { inTurn } from '#platform/net/pipelined-requests.ts'
import { discardBody } from '#platform/net/request-body.ts'
import { serveFiles } from '../files/serve-files.ts'
import { answer, drained } from '../http-response.ts'
import type { DaemonLog } from '../log.ts'
import { readMilestones, readSessions } from '../transcript/serve.ts'
import { HttpError, readAnswer, readIdleMs, readJson, readRules, readSpent, readTurn } from './request.ts'
import { splitEvent } from './split-event.ts'

type HttpServerDeps = { runs: Runs; token: string; log: DaemonLog }
type Exchange = { request: IncomingMessage; response: ServerResponse }

/**
 * The contract `Runs` over HTTP. A turn that begins is 200 and one event a line, as it happens; one that does not is an
 * error with its reason. The connection is the caller: when it breaks before the last event, the caller has left.
 */
export function createHttpServer(
  deps: HttpServerDeps,
  create: (listener: RequestListener) => Server = createServer,
): Server {
  const server = create(
    inTurn((request, response) => {
      serve(deps, { request, response }).catch((error) => {
        discardBody(request)
        fail(deps, response, error)
      })
    }),
  )
  // A turn may be silent for as long as it likes; who is behind the door knows the token.
  server.requestTimeout = 0
  server.keepAliveTimeout = 60_000
  return server
}

async function serve(deps: HttpServerDeps, { request, response }: Exchange): Promise<void> {
  if (!isKnown(deps.token, request.headers.authorization)) throw new HttpError(401, 'unauthorized', 'Wrong token.')
  const { pathname, searchParams: query } = new URL(request.url ?? '/', 'http://daemon')
  const [, version = '', ...path] = pathname.split('/')
  if (version !== `v${contractVersion}`) {
    const asked = `This intern speaks version ${contractVersion} of the runs contract, not "${version}".`
    throw new HttpError(404, 'version_mismatch', asked)
  }
  const leaver = new AbortController()
  response.once('close', () => leaver.abort())
  const { runs } = deps
  switch (`${request.method} /${path[0]}`) {
    case 'GET /health':
      return answer(response, 200, await runs.health())
    case 'POST /rest':
      return answer(response, 200, { againAfterMs: await runs.rest(readIdleMs(await readJson(request))) })
    case 'POST /turns':
      return writeEvents(response, await runs.start(readTurn(await readJson(request)), leaver.signal))
    case 'POST /answers':
      return writeEvents(response, await runs.answer(readAnswer(await readJson(request)), leaver.signal))
    case 'DELETE /runs':
      return answer(response, 200, { cancelled: await runs.cancel(path[1] ?? '', ...readSpent(query)) })
    case 'GET /sessions':
      return readSessions(runs.transcripts, { path, query, response, signal: leaver.signal })
    case 'GET /milestones':
      return readMilestones(runs.transcripts, { query, response, signal: leaver.signal })
    case 'GET /files':
    case 'PUT /files':
    case 'POST /files':
    case 'DELETE /files': {
      const what = `${request.method} ${path[1] ?? ''}`
      return serveFiles(runs.files, { what, query, request, response, signal: leaver.signal })
    }
    case 'GET /questions':
      return answer(response, 200, { question: (await runs.question(path[1] ?? '')) ?? null })
    case 'PUT /rules':
      await runs.judgeBy(readRules(await readJson(request)))
      return answer(response, 200, { judging: true })
    case 'GET /decisions':
      return answer(response, 200, { decisions: await runs.decisions(Number(query.get('after')) || 0) })
    default:
      throw new HttpError(404, 'unknown_operation', `There is no ${request.method} /${path.join('/')}.`)
  }
}

/** Writes events as fast as the caller reads them: what it has not read stays with the run. */
async function writeEvents(response: ServerResponse, events: AsyncIterable<TurnEvent>): Promise<void> {
  // Delimited by the end of the connection, which carries nothing else: without frames each event is one plain write.
  response.removeHeader('transfer-encoding')
  response.writeHead(200, { 'content-type': 'application/x-ndjson' })
  for await (const event of events) {
    for (const piece of splitEvent(event)) {
      const line = `${JSON.stringify(piece)}\n`
      if (closesStream(piece)) return void response.end(line)
      if (!response.write(line)) await drained(response)
    }
  }
  // The stream was cut: the caller must not take it for an end.
  response.destroy()
}

function fail({ log }: HttpServerDeps, response: ServerResponse, error: unknown): void {
  if (response.destroyed) return
  if (response.headersSent) return void response.destroy()
  if (error instanceof Refusal) {
    const { kind, message, retryable } = error
    return answer(response, error.code, { error: { kind, message, retryable } })
  }
  if (error instanceof HttpError)
    return answer(response, error.status, { error: { kind: error.kind, message: error.message } })
  log('door.failed', { why: error instanceof Error ? error.stack : String(error) })
  answer(response, 500, { error: { kind: 'internal', message: 'The daemon failed; its log says why.' } })
}

/** Compares digests, so that neither length nor content of the token shows in the time it takes. */
function isKnown(token: string, header: string | undefined): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(header ?? ''), digest(`Bearer ${token}`))
}
