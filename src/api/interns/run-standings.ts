import type { Caller } from '#identity/accounts/caller.ts'
import { keyReader } from '#identity/accounts/keys/read-keys.ts'
import { findIntern, type Intern } from '#interns/registry/store.ts'
import type { Starter } from '#interns/runs/run-store.ts'
import type { StandingOf } from '#interns/runs/watch-starters.ts'
import type { Now } from '#platform/core/clock.ts'
import { Fault } from '#platform/core/fault.ts'
import type { Db } from '#platform/db/db.ts'
import { memberCaller } from '../access/member-caller.ts'
import { requireInterns } from '../access/require-interns.ts'

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
