import type { Caller } from '#identity/accounts/caller.ts'
import { Refusal } from '#interns/contract/refusal.ts'
import type { Transcripts } from '#interns/contract/transcript.ts'
import { wakeIntern } from '#interns/lifecycle/wake-intern.ts'
import type { InternStatus } from '#interns/registry/intern.ts'
import { findIntern, type Intern } from '#interns/registry/intern-store.ts'
import { Fault } from '#platform/core/fault.ts'
import type { ApiDeps } from '../access/deps.ts'
import { requireRegion } from './intern-region.ts'

type ReaderDeps = Pick<ApiDeps, 'db' | 'provisioner' | 'now' | 'internHosts' | 'guardrailCache' | 'gateway'>

/** The caller of a request, and the host in its address, which determines the region. */
type TranscriptReader = { caller: Caller; host: string | undefined }

/** States in which no process, or only the daemon of the intern, uses its folder. */
export const settledStatuses: readonly InternStatus[] = ['running', 'stopped', 'failed', 'destroy_failed']

/**
 * The transcripts of an intern that is visible to the caller, whether it runs or not.
 * @throws Fault `forbidden` for a region that is not allowed, `not_found`, or `conflict` in a transitional state.
 */
export async function storedTranscripts(
  deps: ReaderDeps,
  { caller, host }: TranscriptReader,
  internId: string,
): Promise<Transcripts> {
  await requireRegion(deps, caller, host)
  const intern = await findIntern(deps, caller, internId)
  if (settledStatuses.includes(intern.status)) return deps.provisioner.storageOf(intern).transcripts
  throw new Fault('conflict', `The intern is ${intern.status}. Its sessions are not available until this is finished.`)
}

/**
 * Returns the transcripts of a running intern, for following new entries. Wakes an intern that sleeps.
 * @throws Fault `forbidden` for a region that is not allowed, `not_found`, or `conflict` if the intern does not run.
 */
export async function wakeForTranscripts(
  deps: ReaderDeps,
  { caller, host }: TranscriptReader,
  internId: string,
  signal: AbortSignal,
): Promise<{ intern: Intern; transcripts: Transcripts }> {
  await requireRegion(deps, caller, host)
  const stored = await findIntern(deps, caller, internId)
  const intern = await translateDaemonErrors(wakeIntern({ ...deps, hosts: deps.internHosts }, stored, signal))
  if (intern.status !== 'running') {
    throw new Fault(
      'conflict',
      `The intern is ${intern.status}. Its sessions can be followed only while it is running (POST …/provision starts it).`,
    )
  }
  return { intern, transcripts: deps.provisioner.runsOf(intern).transcripts }
}

/** Converts errors of the daemon to faults. */
export async function translateDaemonErrors<Result>(result: Promise<Result>): Promise<Result> {
  try {
    return await result
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw new Fault(error.code === 503 ? 'unavailable' : 'bad_gateway', error.message)
  }
}

export const sessionNotFound = () => new Fault('not_found', 'Session not found. Old sessions are deleted.')
