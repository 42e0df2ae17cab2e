import type { Caller } from '#identity/accounts/caller.ts'
import { Fault } from '#platform/core/fault.ts'

/** @throws Fault `not_found` if `interns_programme` of the organization is off, `forbidden` if the key's creator has left. */
export function requireInterns(caller: Caller): void {
  if (!caller.internsProgramme || caller.keyKind === 'intern') throw new Fault('not_found', 'Not found.')
  if (caller.creatorLeft && !caller.internsGrant) {
    throw new Fault('forbidden', 'The creator of this key has left the organization, and the key has no grant.')
  }
}
