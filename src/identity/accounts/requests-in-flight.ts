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

/**
 * The requests in flight at this server. When a key or member is removed, or a rule or limit is changed, requests that would
 * now be refused end within a second, with an error in the stream. Changes recheck the requests that they concern. A
 * periodic check ends requests whose key, session or token has expired. While notifications can be missed, it rechecks all.
 */
export class RequestsInFlight {
  readonly #deps: RequestsInFlightDeps
  // An array, because a Set allocates a new table after every few additions and deletions, and old tables keep entries
  // alive that the collector of young objects would otherwise free.
  readonly #entries: Entry[] = []
  readonly #unsubscribeAll: (() => void)[]
  #checkTimer: NodeJS.Timeout | undefined

  constructor(deps: RequestsInFlightDeps) {
    this.#deps = deps
    const { signals } = deps
    this.#unsubscribeAll = [
      signals.subscribe('key.changed', (hash) => this.#recheckMatching(({ keyHash }) => keyHash === hash)),
      signals.subscribe('session.changed', (id) => this.#recheckMatching(({ sessionId }) => sessionId === id)),
      signals.subscribe('organization.changed', (id) =>
        this.#recheckMatching(({ organizationId }) => organizationId === id),
      ),
      signals.subscribe('guardrail.changed', (id) => this.#recheckMatching(({ workspaceId }) => workspaceId === id)),
      signals.subscribe('intern.changed', (id) => this.#recheckMatching((_, { internId }) => internId === id)),
      signals.onMissed(() => this.#recheckMatching(() => true)),
    ]
  }

  track(caller: Caller, response: ResponseStream): TrackedRequest {
    const entry: Entry = {
      caller,
      index: this.#entries.length,
      response: new RevocableResponse(response),
      recheck: undefined,
      hasMissedChange: false,
      recheckWith: (recheck) => {
        entry.recheck = recheck
        if (entry.hasMissedChange) void this.#recheckEntry(entry, 'change')
      },
      release: () => this.#release(entry),
    }
    this.#entries.push(entry)
    this.#checkTimer ??= setInterval(() => this.#checkPeriodically(), checkEveryMs).unref()
    return entry
  }

  /** The number of requests in flight. */
  count(): number {
    return this.#entries.length
  }

  close(): void {
    for (const unsubscribe of this.#unsubscribeAll) unsubscribe()
    this.#stopChecking()
  }

  #findCurrentCaller(caller: Caller): Promise<Caller | undefined> | undefined {
    const { keys, sessions, tokens } = this.#deps
    if (caller.token !== undefined) return tokens?.current(caller)
    return caller.sessionId === undefined ? keys.current(caller.keyHash) : sessions.current(caller)
  }

  #recheckMatching(matches: (caller: Caller, entry: Entry) => boolean): void {
    for (const entry of this.#entries.slice())
      if (matches(entry.caller, entry)) void this.#recheckEntry(entry, 'change')
  }

  /** @param cause `periodic` rechecks the request only if its caller was read again. */
  async #recheckEntry(entry: Entry, cause: 'change' | 'periodic'): Promise<void> {
    try {
      const caller = await this.#findCurrentCaller(entry.caller)
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
  #checkPeriodically(): void {
    if (this.#entries.length === 0) return this.#stopChecking()
    if (!this.#deps.signals.live()) return this.#recheckMatching(() => true)
    for (const entry of this.#entries.slice()) void this.#recheckEntry(entry, 'periodic')
  }

  /** Not called at the end of the last request, because the next request would have to start the timer again. */
  #stopChecking(): void {
    clearInterval(this.#checkTimer)
    this.#checkTimer = undefined
  }

  #release(entry: Entry): void {
    entry.response.release()
    // The entry was released before, and another entry has its position.
    if (this.#entries[entry.index] !== entry) return
    // The last entry moves to the position of the released one.
    const last = this.#entries.pop()
    if (last === undefined || last === entry) return
    this.#entries[entry.index] = last
    last.index = entry.index
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
