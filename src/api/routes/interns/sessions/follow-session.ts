import { setTimeout as sleep } from 'node:timers/promises'
import type { TranscriptEvent } from '#interns/contract/transcript.ts'
import { type Backoff, backoffDelay } from '#platform/async/backoff.ts'

/** The delay before this server reconnects to the daemon. A stream that failed or ended without an event counts as a failure. */
const reconnectBackoff: Backoff = { firstMs: 1000, maxMs: 15_000 }

type SessionEvents = AsyncIterable<TranscriptEvent> | readonly TranscriptEvent[]

/**
 * Follows a session across restarts of its daemon. When a stream ends, requests the changes since its last event.
 * @param fromRevision the revision of the last entry that the client has.
 * @param reconnect opens a stream of the changes after a revision; undefined if the intern was deleted.
 */
export async function* followSession(
  firstEvents: SessionEvents,
  fromRevision: number,
  signal: AbortSignal,
  reconnect: (revision: number) => Promise<SessionEvents | undefined>,
  backoff = reconnectBackoff,
): AsyncGenerator<TranscriptEvent> {
  let events: SessionEvents | undefined = firstEvents
  let revision = fromRevision
  let failures = 0
  while (events) {
    failures++
    for await (const event of events) {
      failures = 1
      if (event.type === 'entry') revision = Math.max(revision, event.entry.revision)
      yield event
    }
    await sleep(backoffDelay(backoff, failures), undefined, { signal }).catch(() => {})
    if (signal.aborted) return
    events = await reconnect(revision).catch(() => [])
  }
}
