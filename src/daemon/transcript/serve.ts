import type { ServerResponse } from 'node:http'
import { Refusal } from '#interns/contract/refusal.ts'
import type { Page, Transcripts } from '#interns/contract/transcript.ts'
import { answer, drained } from '../http-response.ts'

type Asked = { path: string[]; query: URLSearchParams; response: ServerResponse; signal: AbortSignal }

const maxPage = 500

/** The transcripts over HTTP: the sessions, one of them, and what happens in it, one event a line. */
export async function readSessions(transcripts: Transcripts, { path, query, response, signal }: Asked): Promise<void> {
  const [, encodedId, what] = path
  if (encodedId === undefined) return answer(response, 200, await transcripts.list(pageOf(query)))
  const sessionId = decodeURIComponent(encodedId)
  if (what === undefined) {
    const found = await transcripts.read(sessionId, pageOf(query))
    if (found) return answer(response, 200, found)
  } else if (what === 'events') {
    const events = await transcripts.follow(sessionId, Number(query.get('after') ?? 0) || 0, signal)
    if (events) return writeLines(response, events)
  }
  throw new Refusal('session_unknown', 'There is no such session.')
}

/** Where runs begin, wait, go on and end: held back until there is something to tell. */
export async function readMilestones(
  transcripts: Transcripts,
  { query, response, signal }: Omit<Asked, 'path'>,
): Promise<void> {
  const milestones = await transcripts.milestones(Number(query.get('after') ?? 0) || 0, signal)
  answer(response, 200, { milestones })
}

function pageOf(query: URLSearchParams): Page {
  const limit = Math.min(Math.max(Number(query.get('limit')) || 100, 1), maxPage)
  return { limit, after: query.get('after') ?? undefined }
}

async function writeLines(response: ServerResponse, events: AsyncIterable<object>): Promise<void> {
  response.removeHeader('transfer-encoding')
  response.writeHead(200, { 'content-type': 'application/x-ndjson' })
  response.flushHeaders()
  for await (const event of events) {
    if (!response.write(`${JSON.stringify(event)}\n`)) await drained(response)
  }
  response.end()
}
