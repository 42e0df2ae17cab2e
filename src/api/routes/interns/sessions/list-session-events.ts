import type { TranscriptEvent } from '#interns/contract/transcript.ts'
import { findIntern, findInternById } from '#interns/registry/intern-store.ts'
import { EntryItem, type MemberNames, TextItem, toEntryItem, toTextItem } from '#interns/turns/entry-item.ts'
import { toAbortSignal } from '#platform/async/disconnect-signal.ts'
import { ErrorEnvelope } from '#platform/http/response/envelope.ts'
import { sendEndEvent, sendEvents } from '#platform/http/response/send-events.ts'
import { z } from '#platform/json/schema.ts'
import { requireInterns } from '../../../access/require-interns.ts'
import { AnswererNames } from '../../../interns/answerer-names.ts'
import { requireRegion } from '../../../interns/intern-region.ts'
import { sessionNotFound, translateDaemonErrors, wakeForTranscripts } from '../../../interns/intern-transcripts.ts'
import { route } from '../../route.ts'
import { SessionParams } from '../params.ts'
import { followSession } from './follow-session.ts'

/** The delay before a browser reconnects to this server. */
const retryMs = 1000

const SessionEventItem = z.union([EntryItem, TextItem, ErrorEnvelope]).meta({
  id: 'InternSessionEvent',
  description: 'The data of an event: the first schema for `entry`, the second for `text`, the third for `end`.',
})

export const listInternSessionEvents = route({
  method: 'get',
  path: '/interns/{internId}/sessions/{sessionId}/events',
  tag: 'interns',
  key: 'api',
  summary: 'Stream the changes of a session',
  description:
    'Server-sent events: first all entries of the session, then changes. An `entry` event has a complete entry, which replaces any entry with the same id. A `text` event has the next piece of a text and its `offset`, and no event ID. An `entry` event follows when the entry is saved. An `end` event has the reason for the end of a stream, such as a deleted key. Send the header `Last-Event-ID`, as browsers do automatically, to receive only later changes. It stays valid after restarts of the server and the intern.',
  request: { params: SessionParams },
  mediaTypes: ['text/event-stream'],
  events: SessionEventItem,
  faults: ['invalid', 'unauthenticated', 'forbidden', 'not_found', 'conflict', 'bad_gateway', 'unavailable'],
  handler: async ({ params, caller, host, headers, response, signal }, deps) => {
    const { intern, transcripts } = await wakeForTranscripts(deps, { caller, host }, params.internId, signal)
    const fromRevision = readRevision(headers['last-event-id'])
    const tracked = deps.gateway.inFlight.track(caller, response)
    tracked.internId = intern.id
    tracked.recheckWith(async (laterCaller) => {
      requireInterns(laterCaller)
      await requireRegion(deps, laterCaller, host)
      await findIntern(deps, laterCaller, intern.id)
    })
    try {
      const endSignal = toAbortSignal(tracked.response.signal)
      const { userId } = caller
      const firstEvents = await translateDaemonErrors(
        transcripts.follow(params.sessionId, fromRevision, endSignal, userId),
      )
      if (!firstEvents) throw sessionNotFound()
      tracked.response.onRevoked((fault) => sendEndEvent(tracked.response, fault))
      const events = followSession(firstEvents, fromRevision, endSignal, async (revision) => {
        const current = await findInternById(deps.db.query, intern.id)
        if (!current) return undefined
        const { transcripts: currentTranscripts } = deps.provisioner.runsOf(current)
        return (await currentTranscripts.follow(params.sessionId, revision, endSignal, userId)) ?? []
      })
      const namedEvents = withAnswererNames(events, new AnswererNames(deps, caller.organizationId))
      await sendEvents(tracked.response, namedEvents, eventFormat, deps.config.keepalive_ms)
    } finally {
      tracked.release()
    }
  },
})

/** Returns the revision in the header `Last-Event-ID`. Returns 0, which is before all entries, if it is missing or invalid. */
const readRevision = (header: string | string[] | undefined): number =>
  typeof header === 'string' && /^\d{1,16}$/.test(header) ? Number(header) : 0

const eventFormat = {
  opening: `retry: ${retryMs}\n\n`,
  textOf: ({ event, names }: NamedEvent) =>
    event.type === 'entry'
      ? `event: entry\nid: ${event.entry.revision}\ndata: ${JSON.stringify(toEntryItem(event.entry, names))}\n\n`
      : `event: text\ndata: ${JSON.stringify(toTextItem(event))}\n\n`,
  closing: '',
}

type NamedEvent = { event: TranscriptEvent; names: MemberNames }

async function* withAnswererNames(
  events: AsyncIterable<TranscriptEvent>,
  answerers: AnswererNames,
): AsyncGenerator<NamedEvent> {
  for await (const event of events)
    yield { event, names: await answerers.read(event.type === 'entry' ? [event.entry] : []) }
}
