import type { TrackedRequest } from '#identity/accounts/requests-in-flight.ts'
import { sendEndEvent } from '#platform/http/response/send-events.ts'
import { listParameter } from '#platform/json/list-parameter.ts'
import { z } from '#platform/json/schema.ts'
import { eventTypes } from '../../events/live-event.ts'
import { streamEvents } from '../../events/stream.ts'
import { route } from '../route.ts'
import { LiveEventData } from './event.ts'

const Query = z.object({
  types: listParameter(eventTypes)
    .optional()
    .describe('Comma-separated: `generation`, `question`, `intern`, `circuit`. Defaults to all.'),
})

export const listEvents = route({
  method: 'get',
  path: '/events',
  tag: 'service',
  key: 'any',
  summary: 'Stream live events of requests, interns and circuit breakers',
  description:
    'Server-sent events of these types: `generation` (a request was metered), `question` (a question of an intern was asked, answered or ended), `intern` (the state of an intern changed), `circuit` (the circuit breaker of an endpoint changed). A management key receives the events of its organization, with the text of a question only if its member is allowed to answer it. Every other key receives the requests that `GET /generations` lists for it, and the interns that it sees. Send the header `Last-Event-ID`, as browsers do automatically, to continue after that event. If that event is older than about ten minutes, or the reader was too slow, a `reset` event means that lists must be loaded again. An `end` event has the reason for the end of a stream, such as a deleted key.',
  request: { query: Query },
  mediaTypes: ['text/event-stream'],
  events: LiveEventData,
  faults: ['invalid', 'unauthenticated', 'rate_limited'],
  handler: async ({ query, caller, headers, response }, deps) => {
    const { liveEvents, config, gateway } = deps
    const lastEventId = headers['last-event-id']
    // `join` can throw (too many streams), so it comes before `track`.
    const listener = liveEvents.join(caller)
    let tracked: TrackedRequest | undefined
    try {
      tracked = gateway.inFlight.track(caller, response)
      tracked.recheckWith(async (laterCaller) => {
        listener.caller = laterCaller
      })
      const stream = tracked.response
      stream.onRevoked((fault) => sendEndEvent(stream, fault))
      const types = new Set(query.types ?? eventTypes)
      const options = { types, lastEventId: typeof lastEventId === 'string' ? lastEventId : undefined }
      await streamEvents({ liveEvents, keepaliveMs: config.keepalive_ms }, listener, stream, options)
    } finally {
      liveEvents.leave(listener)
      tracked?.release()
    }
  },
})
