import type { Caller } from '#identity/accounts/caller.ts'
import { Fault } from '#platform/core/fault.ts'
import type { Query, Tx } from '#platform/db/db.ts'
import type { Announce } from '#platform/db/signals.ts'
import { unknownHost } from '../hosts/hosts.ts'
import { internsOn } from '../registry/interns-by-host.ts'
import { type Intern, internById } from '../registry/store.ts'
import { alterFound } from './change.ts'
import { giveUp, move, type RelocateDeps } from './relocate.ts'

/**
 * Gives up the files of all interns of an organization whose host is gone. @returns those that were. @throws Fault
 * `not_found` where there is no such host, `conflict` where it is there.
 */
export function giveUpHost(deps: RelocateDeps, caller: Caller, host: string): Promise<Intern[]> {
  return relocate(deps, caller, host, 'intern.given_up', (intern, tx, announce) => giveUp(deps, tx, announce, intern))
}

/** Says that the files of all of them are on another host now. */
export function moveHost(deps: RelocateDeps, caller: Caller, host: string, to: string): Promise<Intern[]> {
  return relocate(deps, caller, host, 'intern.moved', (intern, tx, announce) => move(deps, tx, announce, intern, to))
}

type RelocateOne = (intern: Intern, tx: Tx, announce: Announce) => Promise<void>

/** Each intern for itself, so that none waits for all: where it breaks off, the rest is done by the next call. */
async function relocate(
  deps: RelocateDeps,
  caller: Caller,
  host: string,
  action: `intern.${string}`,
  relocateOne: RelocateOne,
): Promise<Intern[]> {
  const ids = await internsOn(deps.db.query, caller.organizationId, host)
  await requireGone(deps, host, ids.length)
  const relocated: Intern[] = []
  for (const uuid of ids) {
    const intern = await relocateFound(deps, caller, { uuid, host, action }, relocateOne).catch(unlessDeleted)
    if (intern) relocated.push(intern)
  }
  return relocated
}

type Wanted = { uuid: string; host: string; action: `intern.${string}` }

/** @returns undefined where somebody was quicker with this one. */
async function relocateFound(
  deps: RelocateDeps,
  caller: Caller,
  { uuid, host, action }: Wanted,
  relocateOne: RelocateOne,
): Promise<Intern | undefined> {
  let isRelocated = false
  const find = (query: Query) => requireIntern(query, uuid)
  const intern = await alterFound(deps, caller, { uuid, find }, action, async (tx, found, announce) => {
    if (found.hostname !== host) return undefined
    await relocateOne(found, tx, announce)
    isRelocated = true
    return found
  })
  return isRelocated ? intern : undefined
}

async function requireIntern(query: Query, uuid: string): Promise<Intern> {
  const intern = await internById(query, uuid)
  if (intern) return intern
  throw new Fault('not_found', 'The intern was deleted.')
}

function unlessDeleted(error: unknown): undefined {
  if (!(error instanceof Fault && error.kind === 'not_found')) throw error
}

async function requireGone({ internHosts }: RelocateDeps, name: string, interns: number): Promise<void> {
  const known = await internHosts.find(name)
  if (!known && interns === 0) throw new Fault('not_found', `There is no host ${name}.`)
  if ((known ?? unknownHost(name)).gone) return
  throw new Fault('conflict', `The host ${name} is there. Its interns are moved or deleted one by one.`)
}
