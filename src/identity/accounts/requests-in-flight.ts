import { Fault } from '#platform/core/fault.ts'
import type { Signals } from '#platform/db/signals.ts'
import type { ResponseStream } from '#platform/net/response-stream.ts'
import { RevocableResponse } from '#platform/net/revocable-response.ts'
import type { Caller } from './caller.ts'
import type { KeyCache } from './keys/key-cache.ts'

/** The interval of checking keys for expiry. While notifications can be missed, everything is checked. */
const checkEveryMs = 500

/** A request in flight. */
export type TrackedRequest = {
  response: RevocableResponse
  /** Checks the request again with the current state of its key. @throws Fault if it must end. */
  recheck: (caller: Caller) => Promise<void>
  /** The id of the intern that handles it. A change of the intern causes a new check. */
  internId?: string
  /** Must be called at the end of the request. */
  release: () => void
}

/**
 * The requests in flight at this server. When a key or member is removed, or a rule or limit is changed, requests that would
 * now be refused end within a second, with an error in the stream. Requests are checked only after changes.
 */
export type RequestsInFlight = {
  track: (caller: Caller, response: ResponseStream) => TrackedRequest
  /** The number of requests in flight. */
  count: () => number
  close: () => void
}

type RequestsInFlightDeps = {
  signals: Signals
  keys: Pick<KeyCache, 'current'>
  /** Returns the current caller of a session; undefined if it has ended. */
  sessions: { current: (caller: Caller) => Promise<Caller | undefined> }
  /** Returns the current caller of a token; undefined if the token has expired. */
  tokens?: { current: (caller: Caller) => Promise<Caller | undefined> } | undefined
}

/** `at` is its index among the requests in flight. */
type Entry = TrackedRequest & { caller: Caller; at: number }

export function createRequestsInFlight({ signals, keys, sessions, tokens }: RequestsInFlightDeps): RequestsInFlight {
  // An array, because a Set allocates a new table after every few additions and deletions, and old tables keep entries
  // alive that the collector of young objects would otherwise free.
  const entries: Entry[] = []
  let looking: NodeJS.Timeout | undefined

  const current = (caller: Caller) => {
    if (caller.token !== undefined) return tokens?.current(caller)
    return caller.sessionId === undefined ? keys.current(caller.keyHash) : sessions.current(caller)
  }

  const judgeAll = (concerns: (caller: Caller, entry: Entry) => boolean) => {
    for (const entry of entries.slice()) if (concerns(entry.caller, entry)) void judge(entry)
  }

  async function judge(entry: Entry, isLook = false): Promise<void> {
    try {
      const caller = await current(entry.caller)
      if (!caller) return entry.response.revoke(keyIsGone(entry.caller))
      if (isLook && caller === entry.caller) return
      await entry.recheck(caller)
      entry.caller = caller
    } catch (error) {
      // While the database is unreachable, allowed requests continue.
      if (error instanceof Fault && error.kind !== 'unavailable') entry.response.revoke(error)
    }
  }

  /** Compares keys by identity while notifications are received, because a key that was read again is another object. */
  function look(): void {
    if (entries.length === 0) return stopLooking()
    if (!signals.live()) return judgeAll(() => true)
    for (const entry of entries.slice()) void judge(entry, true)
  }

  /** Stops only after a while without requests, so that a server with one request at a time does not restart the timer. */
  function stopLooking(): void {
    clearInterval(looking)
    looking = undefined
  }

  const unsubscribe = [
    signals.subscribe('key.changed', (hash) => judgeAll(({ keyHash }) => keyHash === hash)),
    signals.subscribe('session.changed', (id) => judgeAll(({ sessionId }) => sessionId === id)),
    signals.subscribe('organization.changed', (id) => judgeAll(({ organizationId }) => organizationId === id)),
    signals.subscribe('guardrail.changed', (id) => judgeAll(({ workspaceId }) => workspaceId === id)),
    signals.subscribe('intern.changed', (id) => judgeAll((_, { internId }) => internId === id)),
    signals.onMissed(() => judgeAll(() => true)),
  ]

  function release(entry: Entry): void {
    entry.response.release()
    if (entries[entry.at] !== entry) return
    const last = entries.pop()!
    if (last !== entry) {
      entries[entry.at] = last
      last.at = entry.at
    }
  }

  return {
    track(caller, response) {
      const entry: Entry = {
        caller,
        at: entries.length,
        response: new RevocableResponse(response),
        recheck: async () => {},
        release: () => release(entry),
      }
      entries.push(entry)
      looking ??= setInterval(look, checkEveryMs).unref()
      return entry
    },
    count: () => entries.length,
    close() {
      for (const end of unsubscribe) end()
      stopLooking()
    },
  }
}

const keyIsGone = ({ sessionId, token }: Caller) => {
  if (token) return new Fault('unauthenticated', 'The token of this request has expired, or lost its access.')
  return new Fault(
    'unauthenticated',
    sessionId === undefined
      ? 'The key of this request was disabled or deleted, or has expired.'
      : 'The session of this request has ended.',
  )
}
