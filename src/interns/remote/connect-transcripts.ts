import type { IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { TokenBucket } from '#platform/async/token-bucket.ts'
import { LineReader } from '#platform/text/lines.ts'
import { Refusal } from '../contract/refusal.ts'
import type { Page, TranscriptEvent, Transcripts } from '../contract/transcript.ts'
import { maxEventBytes } from '../contract/turn-event.ts'
import { pathSegment } from '../registry/path-segment.ts'
import { readEntries, readMilestones, readSessions } from './read-answer.ts'
import { readTranscriptEvent } from './read-transcript.ts'

/** A page has some megabytes at the most, each character of which takes up to six bytes. */
const maxPageBytes = 32 * 1024 * 1024
/** What one stream may bring; more than any intern does. */
const rateLimit = { perSecond: 2000, atOnce: 5000 }

type DaemonClient = {
  ask: (method: string, path: string, body?: object, signal?: AbortSignal) => Promise<IncomingMessage>
  readText: (response: IncomingMessage, maxBytes: number) => Promise<string>
}

/** The transcripts of an intern through the socket of its daemon. */
export function connectTranscripts({ ask, readText }: DaemonClient): Transcripts {
  const read = async (path: string) => readText(await ask('GET', path), maxPageBytes)
  return {
    list: async (page) => readSessions(await read(`/sessions?${pageQuery(page)}`)),
    read: (sessionId, page) =>
      ifKnown(async () => readEntries(await read(`/sessions/${pathSegment(sessionId)}?${pageQuery(page)}`))),
    follow: (sessionId, revision, signal) =>
      ifKnown(async () => {
        const path = `/sessions/${pathSegment(sessionId)}/events?after=${revision}`
        return eventsOf(await ask('GET', path, undefined, signal), signal)
      }),
    milestones: async (revision, signal) => {
      const response = await ask('GET', `/milestones?after=${revision}`, undefined, signal)
      return readMilestones(await readText(response, maxPageBytes))
    },
  }
}

function pageQuery({ after, limit }: Page): string {
  return new URLSearchParams({ limit: String(limit), ...(after !== undefined && { after }) }).toString()
}

async function ifKnown<Answer>(ask: () => Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof Refusal && error.kind === 'session_unknown') return undefined
    throw error
  }
}

/** Ends where the daemon ends it, breaks off, or says what is no event. */
async function* eventsOf(response: IncomingMessage, signal: AbortSignal): AsyncGenerator<TranscriptEvent, undefined> {
  const lines = new LineReader(maxEventBytes)
  const allowed = new TokenBucket(rateLimit.perSecond, rateLimit.atOnce, () => performance.now())
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      lines.push(chunk)
      for (let line = lines.next(); line !== undefined; line = lines.next()) {
        const waitMs = allowed.take(1)
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
