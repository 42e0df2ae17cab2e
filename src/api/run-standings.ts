import { isMember } from '#accounts/members.ts'
import { keyReader } from '#accounts/read-keys.ts'
import type { Db } from '#db/db.ts'
import { findIntern } from '#interns/store.ts'
import type { StandingOf } from '#interns/watch-starters.ts'
import type { Now } from '#lib/clock.ts'
import { Fault } from '#lib/fault.ts'
import { requireInterns } from './require-interns.ts'

const ended = { mayGoOn: false, until: null }

/** Judges who began a run that goes on by itself as they would be judged if they asked now. */
export function openStandings({ db, now }: { db: Db; now: Now }): StandingOf {
  const readKeys = keyReader({ db })
  return async ({ keyHash, userId }, intern) => {
    if (keyHash === null) return { mayGoOn: await isMember(db.query, intern.organizationId, userId), until: null }
    const key = (await readKeys([keyHash])).get(keyHash)
    if (!key || key.disabled || (key.expiresAt !== null && key.expiresAt <= now())) return ended
    try {
      requireInterns(key.caller)
      await findIntern({ db }, key.caller, intern.id)
    } catch (error) {
      if (error instanceof Fault && (error.kind === 'not_found' || error.kind === 'forbidden')) return ended
      throw error
    }
    return { mayGoOn: true, until: key.expiresAt }
  }
}
