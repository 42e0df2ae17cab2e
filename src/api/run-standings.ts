import type { Caller } from '#accounts/caller.ts'
import { keyReader } from '#accounts/read-keys.ts'
import type { Db } from '#db/db.ts'
import type { Starter } from '#interns/run-store.ts'
import { findIntern, type Intern } from '#interns/store.ts'
import type { StandingOf } from '#interns/watch-starters.ts'
import type { Now } from '#lib/clock.ts'
import { Fault } from '#lib/fault.ts'
import { memberCaller } from './member-caller.ts'
import { requireInterns } from './require-interns.ts'

const ended = { mayGoOn: false, until: null }

/** Judges who began a run that goes on by itself as they would be judged if they asked now. */
export function openStandings({ db, now }: { db: Db; now: Now }): StandingOf {
  const readKeys = keyReader({ db })
  const callerOf = async ({ keyHash, userId }: Starter, { organizationId, workspaceId }: Intern) => {
    if (keyHash === null) {
      const caller = await memberCaller({ db }, { organizationId, workspaceId, userId }, 'signed in')
      return caller && { caller, until: null }
    }
    const key = (await readKeys([keyHash])).get(keyHash)
    const holds = key && !key.disabled && (key.expiresAt === null || key.expiresAt > now())
    return holds ? { caller: key.caller, until: key.expiresAt } : undefined
  }
  return async (starter, intern) => {
    const found = await callerOf(starter, intern)
    return found && (await mayUse({ db }, found.caller, intern)) ? { mayGoOn: true, until: found.until } : ended
  }
}

async function mayUse(deps: { db: Db }, caller: Caller, { id }: Intern): Promise<boolean> {
  try {
    requireInterns(caller)
    await findIntern(deps, caller, id)
    return true
  } catch (error) {
    if (error instanceof Fault && (error.kind === 'not_found' || error.kind === 'forbidden')) return false
    throw error
  }
}
