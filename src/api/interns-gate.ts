import type { KeyRing } from '#accounts/key-ring.ts'
import { Fault } from '#lib/fault.ts'
import { admit } from './admit.ts'
import { prefix } from './prefix.ts'

const below = `${prefix}/interns`

/** Decoded, as the router reads it, so that no spelling of the path is a way around. */
function isInterns(url: string): boolean {
  const path = decoded(url.split('?', 1)[0] ?? '')
  return path === below || path.startsWith(`${below}/`)
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    // What cannot be decoded whole may still begin as one of ours.
    return path.replace(/%([0-7][0-9a-f])/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  }
}

type Asked = { url: string; headers: { authorization?: string | undefined } }

/**
 * Stands before every path under /interns, known or not, whatever the method. Outside the programme all of them look the
 * same: as if there were none. An intern's own key is outside: interns do not make, talk to or stop interns.
 */
export async function guardInterns(deps: { keys: Pick<KeyRing, 'find'> }, { url, headers }: Asked): Promise<void> {
  if (!isInterns(url)) return
  const caller = await admit(deps, { key: 'api' }, headers.authorization)
  if (!caller.internsProgramme || caller.keyKind === 'intern') throw new Fault('not_found', 'Not found.')
  if (caller.creatorLeft && !caller.internsGrant) {
    throw new Fault('forbidden', 'The creator of this key has left the organization, and the key holds no grant.')
  }
}
