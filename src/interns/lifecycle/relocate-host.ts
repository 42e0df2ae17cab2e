import type { Caller } from '#identity/accounts/caller.ts'
import { Fault } from '#platform/core/fault.ts'
import type { Query, Tx } from '#platform/db/db.ts'
import type { Publish } from '#platform/db/signals.ts'
import { createUnknownHost } from '../hosts/hosts.ts'
import { findInternById, type Intern } from '../registry/intern-store.ts'
import { findInternsOnHost } from '../registry/interns-by-host.ts'
import { changeFoundIntern } from './change-intern.ts'
import { giveUpLockedIntern, moveLockedIntern, type RelocateDeps } from './relocate-intern.ts'

/**
 * Gives up the files of all interns of an organization on a lost host. @returns the changed interns. @throws Fault `not_found`
 * for an unknown host, `conflict` if the host is available.
 */
export function giveUpHost(deps: RelocateDeps, caller: Caller, host: string): Promise<Intern[]> {
  return relocateAll(deps, caller, host, 'intern.given_up', (intern, tx, publish) =>
    giveUpLockedIntern(deps, tx, publish, intern),
  )
}

/** Moves all interns of a lost host to another one, which has their files. */
export function moveHost(deps: RelocateDeps, caller: Caller, host: string, to: string): Promise<Intern[]> {
  return relocateAll(deps, caller, host, 'intern.moved', (intern, tx, publish) =>
    moveLockedIntern(deps, tx, publish, intern, to),
  )
}

type RelocationWork = (intern: Intern, tx: Tx, publish: Publish) => Promise<void>

/** Changes each intern in a separate transaction. After a failure, the next call continues. */
async function relocateAll(
  deps: RelocateDeps,
  caller: Caller,
  host: string,
  action: `intern.${string}`,
  work: RelocationWork,
): Promise<Intern[]> {
  const ids = await findInternsOnHost(deps.db.query, caller.organizationId, host)
  await requireLost(deps, host, ids.length)
  const relocated: Intern[] = []
  for (const uuid of ids) {
    const intern = await relocateIntern(deps, caller, { uuid, host, action }, work).catch(ignoreDeleted)
    if (intern) relocated.push(intern)
  }
  return relocated
}

type Relocation = { uuid: string; host: string; action: `intern.${string}` }

/** @returns undefined if the intern was relocated meanwhile. */
async function relocateIntern(
  deps: RelocateDeps,
  caller: Caller,
  { uuid, host, action }: Relocation,
  work: RelocationWork,
): Promise<Intern | undefined> {
  let isRelocated = false
  const find = (query: Query) => requireIntern(query, uuid)
  const intern = await changeFoundIntern(deps, caller, { uuid, find }, action, async (tx, found, publish) => {
    if (found.hostname !== host) return 'unchanged'
    await work(found, tx, publish)
    isRelocated = true
    return 'changed'
  })
  return isRelocated ? intern : undefined
}

async function requireIntern(query: Query, uuid: string): Promise<Intern> {
  const intern = await findInternById(query, uuid)
  if (intern) return intern
  throw new Fault('not_found', 'The intern was deleted.')
}

function ignoreDeleted(error: unknown): undefined {
  if (!(error instanceof Fault && error.kind === 'not_found')) throw error
}

async function requireLost({ internHosts }: RelocateDeps, name: string, interns: number): Promise<void> {
  const host = await internHosts.find(name)
  if (!host && interns === 0) throw new Fault('not_found', `Host ${name} not found.`)
  if ((host ?? createUnknownHost(name)).loss) return
  throw new Fault('conflict', `The host ${name} is available. Move or delete its interns one by one.`)
}
