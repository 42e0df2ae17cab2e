import type { Caller } from '#identity/accounts/caller.ts'
import { Fault } from '#platform/core/fault.ts'

/**
 * Requires that a caller can use interns.
 * @throws Fault `not_found` if `interns_programme` of the organization is false, or for the key of an intern; `forbidden`
 * if the creator of the key has left the organization and the key has no grant.
 */
export function requireInterns(caller: Caller): void {
  if (!caller.internsProgramme || caller.keyKind === 'intern') throw new Fault('not_found', 'Not found.')
  if (caller.creatorLeft && !caller.internsGrant) {
    throw new Fault('forbidden', 'The creator of this key has left the organization, and the key has no grant.')
  }
}
