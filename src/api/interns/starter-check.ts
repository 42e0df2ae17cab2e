import type { Caller } from '#identity/accounts/caller.ts'
import { createKeyReader } from '#identity/accounts/keys/read-keys.ts'
import { findIntern, type Intern } from '#interns/registry/intern-store.ts'
import type { CheckStarter } from '#interns/runs/revoke-runs.ts'
import type { RunStarter } from '#interns/runs/run-store.ts'
import type { Now } from '#platform/core/clock.ts'
import { Fault } from '#platform/core/fault.ts'
import type { Db } from '#platform/db/db.ts'
import { memberCaller } from '../access/member-caller.ts'
import { requireInterns } from '../access/require-interns.ts'

const denied = { isAllowed: false, expiresAt: null }

/** Creates the check whether the user who started a background run can still use the intern. */
export function createStarterCheck({ db, now }: { db: Db; now: Now }): CheckStarter {
  const readKeys = createKeyReader({ db })
  const findStarterCaller = async ({ keyHash, userId }: RunStarter, { organizationId, workspaceId }: Intern) => {
    if (keyHash === null) {
      const caller = await memberCaller({ db }, { organizationId, workspaceId, userId }, 'signed in')
      return caller && { caller, expiresAt: null }
    }
    const key = (await readKeys([keyHash])).get(keyHash)
    const isValid = key && !key.disabled && (key.expiresAt === null || key.expiresAt > now())
    return isValid ? { caller: key.caller, expiresAt: key.expiresAt } : undefined
  }
  return async (starter, intern) => {
    const starterCaller = await findStarterCaller(starter, intern)
    if (!starterCaller || !(await canUseIntern({ db }, starterCaller.caller, intern))) return denied
    return { isAllowed: true, expiresAt: starterCaller.expiresAt }
  }
}

async function canUseIntern(deps: { db: Db }, caller: Caller, { id }: Intern): Promise<boolean> {
  try {
    requireInterns(caller)
    await findIntern(deps, caller, id)
    return true
  } catch (error) {
    if (error instanceof Fault && (error.kind === 'not_found' || error.kind === 'forbidden')) return false
    throw error
  }
}
