import type { Now } from '#platform/core/clock.ts'
import type { Db } from '#platform/db/db.ts'
import { createReadCache } from '#platform/db/rows/read-cache.ts'
import type { AllowStale } from '#platform/db/rows/stale-reads.ts'
import type { Caller } from '../accounts/caller.ts'
import type { KeyCache } from '../accounts/keys/key-cache.ts'
import { idleEndOf, type SessionRow, type SessionTimes, type SignedIn } from './session.ts'
import { findSessionRow, touchSessionRow } from './session-rows.ts'
import { signedInAs } from './signed-in.ts'
import { isSameSecret, sessionIdIn, tokenHash } from './token.ts'

/** How often it is written down that a session is in use. */
const touchEveryMs = 60_000

/**
 * Finds who is signed in, from memory in the steady state: like keys, a session that was ended is forgotten at once here,
 * and by signal within a second on every other server. It also ends with the key and the membership behind it.
 */
export type Sessions = {
  /** The session of a cookie; undefined for one that is unknown, ended or has run out. */
  find: (token: string) => Promise<SignedIn | undefined>
  /** The same caller as the session is now; undefined when it has ended. */
  current: (caller: Pick<Caller, 'sessionId' | 'keyKind'>) => Promise<Caller | undefined>
  times: SessionTimes
  close: () => void
}

type SessionsDeps = {
  db: Db
  now: Now
  keys: Pick<KeyCache, 'current'>
  times: SessionTimes
  allowStale?: AllowStale
  /** Hears why it could not be written down that a session is in use. */
  onError: (error: Error) => void
}

export function createSessions({ db, now, keys, times, allowStale, onError }: SessionsDeps): Sessions {
  const rows = createReadCache<SessionRow | undefined>({
    signals: db.signals,
    allowStale,
    topic: 'session.changed',
    read: (id) => findSessionRow(db.query, id),
    isKept: (row) => row !== undefined,
    away: 'Sessions cannot be checked now, as the database cannot be reached. Try again shortly.',
  })
  const signedIn = signedInAs(keys)
  const touching = new Set<string>()

  function touch({ id }: SessionRow): void {
    if (touching.has(id)) return
    touching.add(id)
    db.exclusively(`session ${id}`, async (tx, announce) => {
      await touchSessionRow(tx, id, now())
      announce('session.changed', id)
    })
      .catch(onError)
      .finally(() => touching.delete(id))
  }

  async function goodRow(id: string): Promise<SessionRow | undefined> {
    const row = await rows.get(id)
    return row && now() < idleEndOf(row, times) ? row : undefined
  }

  return {
    times,
    async find(token) {
      const id = sessionIdIn(token)
      const row = id === undefined ? undefined : await goodRow(id)
      if (!row || !isSameSecret(row.token_hash, tokenHash(token))) return undefined
      const found = await signedIn(row)
      if (found && now() - row.seen_at >= touchEveryMs) touch(row)
      return found
    },
    async current({ sessionId, keyKind }) {
      const row = sessionId === undefined ? undefined : await goodRow(sessionId)
      const found = row && (await signedIn(row))
      return keyKind === 'management' ? found?.manages : found?.uses
    },
    close: rows.close,
  }
}
