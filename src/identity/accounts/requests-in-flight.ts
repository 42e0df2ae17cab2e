import { Fault } from '#platform/core/fault.ts'
import type { Signals } from '#platform/db/signals.ts'
import type { ResponseStream } from '#platform/net/response-stream.ts'
import { RevocableResponse } from '#platform/net/revocable-response.ts'
import type { Caller } from './caller.ts'
import type { KeyCache } from './keys/key-cache.ts'

/** The interval of the periodic check, which finds expired keys, sessions and tokens. */
const checkEveryMs = 500

type Recheck = (caller: Caller) => Promise<void>

/** A request in flight. */
export type TrackedRequest = {
  response: RevocableResponse
  /**
   * Sets the function that decides again whether the request is allowed, with its current caller. It is called at once if
   * something changed since the request was tracked. It throws a Fault if the request must end.
   */
  recheckWith: (recheck: Recheck) => void
  /** The id of the intern that handles the request. A change of the intern causes a new check. */
  internId?: string
  /** Must be called at the end of the request. */
  release: () => void
}

/**
 * The requests in flight at this server. When a key or member is removed, or a rule or limit is changed, requests that would
 * now be refused end within a second, with an error in the stream. Changes recheck the requests that they concern. A
 * periodic check ends requests whose key, session or token has expired. While notifications can be missed, it rechecks all.
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

type Entry = TrackedRequest & {
  caller: Caller
  /** The position of the entry in `entries`. */
  index: number
  /** Undefined while the request is being admitted. */
  recheck: Recheck | undefined
  hasMissedChange: boolean
}

export function createRequestsInFlight({ signals, keys, sessions, tokens }: RequestsInFlightDeps): RequestsInFlight {
  // An array, because a Set allocates a new table after every few additions and deletions, and old tables keep entries
  // alive that the collector of young objects would otherwise free.
  const entries: Entry[] = []
  let checkTimer: NodeJS.Timeout | undefined

  const findCurrentCaller = (caller: Caller) => {
    if (caller.token !== undefined) return tokens?.current(caller)
    return caller.sessionId === undefined ? keys.current(caller.keyHash) : sessions.current(caller)
  }

  const recheckMatching = (matches: (caller: Caller, entry: Entry) => boolean) => {
    for (const entry of entries.slice()) if (matches(entry.caller, entry)) void recheckEntry(entry, 'change')
  }

  /** @param cause `periodic` rechecks the request only if its caller was read again. */
  async function recheckEntry(entry: Entry, cause: 'change' | 'periodic'): Promise<void> {
    try {
      const caller = await findCurrentCaller(entry.caller)
      if (!caller) return entry.response.revoke(revokedFault(entry.caller))
      if (cause === 'periodic' && caller === entry.caller) return
      if (entry.recheck) await entry.recheck(caller)
      else entry.hasMissedChange = true
      entry.caller = caller
    } catch (error) {
      // While the database is unreachable, allowed requests continue.
      if (error instanceof Fault && error.kind !== 'unavailable') entry.response.revoke(error)
    }
  }

  /**
   * Looks up the caller of each request. Ends the request if its key, session or token is no longer valid. Rechecks it if the
   * caller is another object, because it was read again. While notifications can be missed, rechecks all requests.
   */
  function checkPeriodically(): void {
    if (entries.length === 0) return stopChecking()
    if (!signals.live()) return recheckMatching(() => true)
    for (const entry of entries.slice()) void recheckEntry(entry, 'periodic')
  }

  /** Not called at the end of the last request, because the next request would have to start the timer again. */
  function stopChecking(): void {
    clearInterval(checkTimer)
    checkTimer = undefined
  }

  const unsubscribe = [
    signals.subscribe('key.changed', (hash) => recheckMatching(({ keyHash }) => keyHash === hash)),
    signals.subscribe('session.changed', (id) => recheckMatching(({ sessionId }) => sessionId === id)),
    signals.subscribe('organization.changed', (id) => recheckMatching(({ organizationId }) => organizationId === id)),
    signals.subscribe('guardrail.changed', (id) => recheckMatching(({ workspaceId }) => workspaceId === id)),
    signals.subscribe('intern.changed', (id) => recheckMatching((_, { internId }) => internId === id)),
    signals.onMissed(() => recheckMatching(() => true)),
  ]

  function release(entry: Entry): void {
    entry.response.release()
    // It was released before.
    if (entries[entry.index] !== entry) return
    // The last entry moves to the position of the released one.
    const last = entries.pop()!
    if (last !== entry) {
      entries[entry.index] = last
      last.index = entry.index
    }
  }

  return {
    track(caller, response) {
      const entry: Entry = {
        caller,
        index: entries.length,
        response: new RevocableResponse(response),
        recheck: undefined,
        hasMissedChange: false,
        recheckWith: (recheck) => {
          entry.recheck = recheck
          if (entry.hasMissedChange) void recheckEntry(entry, 'change')
        },
        release: () => release(entry),
      }
      entries.push(entry)
      checkTimer ??= setInterval(checkPeriodically, checkEveryMs).unref()
      return entry
    },
    count: () => entries.length,
    close() {
      for (const end of unsubscribe) end()
      stopChecking()
    },
  }
}

const revokedFault = ({ sessionId, token }: Caller) => {
  if (token) return new Fault('unauthenticated', 'The token of this request has expired, or lost its access.')
  return new Fault(
    'unauthenticated',
    sessionId === undefined
      ? 'The key of this request was disabled or deleted, or has expired.'
      : 'The session of this request has ended.',
  )
}
