import type { TrackedRequest } from '#identity/accounts/requests-in-flight.ts'
import { faultStatus } from '#platform/http/response/faults.ts'
import { listParameter } from '#platform/json/list-parameter.ts'
import { z } from '#platform/json/schema.ts'
import { eventTypes } from '../../events/live-event.ts'
import { streamEvents } from '../../events/stream.ts'
import { route } from '../route.ts'
import { LiveEventData } from './event.ts'

const Query = z.object({
  types: listParameter(eventTypes)
    .optional()
    .describe('Comma-separated: `generation`, `question`, `intern`, `circuit`; all of them unless told.'),
})

export const listEvents = route({
  method: 'get',
  path: '/events',
  tag: 'service',
  key: 'any',
  summary: 'What happens, as it happens: requests, questions and states of interns, circuits',
  description:
    'Server-sent events, each of a type: `generation` (a request is in the ledger), `question` (what an intern asks waits, was answered or has ended), `intern` (its state has changed), `circuit` (an endpoint is asked no longer, or again). A management key hears its organization, with the words of a question only where its member may answer; every other key hears the requests that `GET /generations` lists for it, and the interns it sees. Send the header `Last-Event-ID`, as a browser does by itself, to go on after that event. Where it is older than some ten minutes, or the reader was too slow, a `reset` event says that lists are to be loaded again. `end` says why a stream ends: the key is gone.',
  request: { query: Query },
  mediaTypes: ['text/event-stream'],
  events: LiveEventData,
  faults: ['invalid', 'unauthenticated', 'rate_limited'],
  handler: async ({ query, caller, headers, response }, deps) => {
    const { liveEvents, config, routing } = deps
    const lastEventId = headers['last-event-id']
    const tracked = routing.inFlight.track(caller, response)
    const listener = liveEvents.join(caller)
    const recheck: TrackedRequest['recheck'] = (later) => {
      listener.caller = later
    }
    tracked.recheck = recheck
    tracked.response.onRevoked(({ kind, message }) => {
      const error = { code: faultStatus[kind], message }
      tracked.response.write(`event: end\ndata: ${JSON.stringify({ error })}\n\n`)
      tracked.response.end()
    })
    try {
      const types = new Set(query.types ?? eventTypes)
      const wanted = { types, lastEventId: typeof lastEventId === 'string' ? lastEventId : undefined }
      await streamEvents({ liveEvents, keepaliveMs: config.keepalive_ms }, listener, tracked.response, wanted)
    } finally {
      liveEvents.leave(listener)
      tracked.release()
    }
  },
})
