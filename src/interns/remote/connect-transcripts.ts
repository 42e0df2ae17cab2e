import type { IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { TokenBucket } from '#platform/async/limits/token-bucket.ts'
import { LineReader } from '#platform/text/lines.ts'
import { Refusal } from '../contract/refusal.ts'
import type { Page, TranscriptEvent, Transcripts } from '../contract/transcript.ts'
import { maxEventBytes } from '../contract/turn-event.ts'
import { type DaemonClient, encodePathSegment, readText } from './daemon-client.ts'
import { readEntries, readMilestones, readSessions } from './read-response.ts'
import { readTranscriptEvent } from './read-transcript.ts'

/** Daemons limit a page to 2 MiB of UTF-16 units, each of up to three bytes. */
const maxPageBytes = 8 * 1024 * 1024
/** The rate limit for the events of one stream, above what any intern sends. */
const rateLimit = { perSecond: 2000, atOnce: 5000 }

/** The transcripts of an intern through the socket of its daemon. */
export function connectTranscripts({ send, requestText }: DaemonClient): Transcripts {
  const read = (path: string, signal: AbortSignal | undefined) =>
    requestText('GET', path, { signal, maxBytes: maxPageBytes })
  return {
    list: async (page, signal) => readSessions(await read(`/sessions?${pageQuery(page)}`, signal)),
    read: (sessionId, page, signal) =>
      undefinedIfUnknown(async () => {
        const path = `/sessions/${encodePathSegment(sessionId)}?${pageQuery(page)}`
        return readEntries(await read(path, signal))
      }),
    follow: (sessionId, revision, signal, memberId) =>
      undefinedIfUnknown(async () => {
        const member = memberId === undefined ? '' : `&member=${encodeURIComponent(memberId)}`
        const path = `/sessions/${encodePathSegment(sessionId)}/events?after=${revision}${member}`
        return readTranscriptEvents(await send('GET', path, undefined, signal), signal)
      }),
    milestones: async (revision, signal) => {
      const response = await send('GET', `/milestones?after=${revision}`, undefined, signal)
      return readMilestones(await readText(response, maxPageBytes))
    },
  }
}

function pageQuery({ after, limit }: Page): string {
  return new URLSearchParams({ limit: String(limit), ...(after !== undefined && { after }) }).toString()
}

async function undefinedIfUnknown<Result>(request: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await request()
  } catch (error) {
    if (error instanceof Refusal && error.kind === 'session_unknown') return undefined
    throw error
  }
}

/** The events of a stream. Ends when the daemon ends the stream, the connection breaks, or an event is invalid. */
async function* readTranscriptEvents(
  response: IncomingMessage,
  signal: AbortSignal,
): AsyncGenerator<TranscriptEvent, undefined> {
  const lines = new LineReader(maxEventBytes)
  const eventRate = new TokenBucket({
    perSecond: rateLimit.perSecond,
    capacity: rateLimit.atOnce,
    now: () => performance.now(),
  })
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      lines.push(chunk)
      for (let line = lines.next(); line !== undefined; line = lines.next()) {
        const waitMs = eventRate.take(1)
        if (waitMs > 0) await sleep(waitMs, undefined, { signal })
        const event = readTranscriptEvent(line)
        if (!event) return undefined
        yield event
      }
    }
  } catch (error) {
    if (!signal.aborted) return undefined
    throw error
  } finally {
    response.destroy()
  }
  return undefined
}
