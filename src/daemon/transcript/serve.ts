import type { ServerResponse } from 'node:http'
import { Refusal } from '#interns/contract/refusal.ts'
import type { Transcripts } from '#interns/contract/transcript.ts'
import { sendJson, waitForDrain } from '../http-response.ts'
import { readPage } from '../page.ts'

type TranscriptRequest = { path: string[]; query: URLSearchParams; response: ServerResponse; signal: AbortSignal }

const maxPageSize = 500

/** Serves transcripts over HTTP: the list of sessions, one session, or its events, one per line. */
export async function serveSessions(
  transcripts: Transcripts,
  { path, query, response, signal }: TranscriptRequest,
): Promise<void> {
  const [, encodedId, resource] = path
  if (encodedId === undefined) return sendJson(response, 200, await transcripts.list(readPage(query, maxPageSize)))
  const sessionId = decodeSegment(encodedId)
  if (resource === undefined) {
    const page = await transcripts.read(sessionId, readPage(query, maxPageSize))
    if (page) return sendJson(response, 200, page)
  } else if (resource === 'events') {
    const memberId = query.get('member') ?? undefined
    const events = await transcripts.follow(sessionId, Number(query.get('after') ?? 0) || 0, signal, memberId)
    if (events) return writeLines(response, events)
  }
  throw new Refusal('session_unknown', 'This session does not exist.')
}

/** Serves the starts, questions and ends of runs. The response waits until there is one. */
export async function serveMilestones(
  transcripts: Transcripts,
  { query, response, signal }: Omit<TranscriptRequest, 'path'>,
): Promise<void> {
  const milestones = await transcripts.milestones(Number(query.get('after') ?? 0) || 0, signal)
  sendJson(response, 200, { milestones })
}

/** Decodes the session id of a path. @throws Refusal `session_unknown` if the text cannot be decoded. */
function decodeSegment(encoded: string): string {
  try {
    return decodeURIComponent(encoded)
  } catch {
    throw new Refusal('session_unknown', 'This session does not exist.')
  }
}

async function writeLines(response: ServerResponse, events: AsyncIterable<object>): Promise<void> {
  // The end of the connection delimits the body. Without chunked encoding, each event is one write.
  response.removeHeader('transfer-encoding')
  response.writeHead(200, { 'content-type': 'application/x-ndjson' })
  response.flushHeaders()
  for await (const event of events) {
    if (!response.write(`${JSON.stringify(event)}\n`)) await waitForDrain(response)
  }
  response.end()
}
