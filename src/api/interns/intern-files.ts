import type { Caller } from '#identity/accounts/caller.ts'
import type { InternFiles } from '#interns/contract/files.ts'
import { Refusal } from '#interns/contract/refusal.ts'
import { findIntern } from '#interns/registry/intern-store.ts'
import { auditFileAccess, type FileAction } from '#interns/remote/file-audit.ts'
import { toAbortSignal } from '#platform/async/disconnect-signal.ts'
import { Fault, type FaultKind } from '#platform/core/fault.ts'
import type { ResponseStream } from '#platform/net/response-stream.ts'
import type { ApiDeps } from '../access/deps.ts'
import { requireInterns } from '../access/require-interns.ts'
import { requireRegion } from './intern-region.ts'
import { settledStatuses } from './intern-transcripts.ts'

/** The faults of every route for the files of an intern. */
export const fileFaults = [
  'invalid',
  'unauthenticated',
  'forbidden',
  'not_found',
  'conflict',
  'bad_gateway',
  'unavailable',
] as const

/** The roles that can read and change what an intern stores, such as its files and log: those that can chat with it. */
export const storageRoles = ['owner', 'admin', 'developer'] as const

type FileRequest = { caller: Caller; host: string | undefined; response: ResponseStream }
type FileOperation<Result> = {
  internId: string
  /** The action of the entry in the audit log; listings have no entry. */
  auditAction?: FileAction
  paths?: Record<string, string>
  /** @param signal aborts when the client disconnects or loses access. */
  run: (files: InternFiles, signal: AbortSignal) => Promise<Result>
  /** Resolves when the response has been sent, for a response that is still being sent after `run`. */
  waitUntilSent?: (result: Result) => Promise<unknown>
}

/**
 * Runs an operation on the files of an intern that is visible to the caller. Aborts it when the caller loses access.
 */
export async function withFiles<Result>(
  deps: ApiDeps,
  { caller, host, response }: FileRequest,
  { internId, auditAction, paths = {}, run, waitUntilSent }: FileOperation<Result>,
): Promise<Result> {
  await requireRegion(deps, caller, host)
  const intern = await findIntern(deps, caller, internId)
  if (!settledStatuses.includes(intern.status)) {
    throw new Fault('conflict', `The intern is ${intern.status}. Its files are not available until this is finished.`)
  }
  const tracked = deps.gateway.inFlight.track(caller, response)
  tracked.internId = intern.id
  // Called when the permissions of the caller may have changed. A fault ends the request.
  tracked.recheckWith(async (laterCaller) => {
    requireInterns(laterCaller)
    await requireRegion(deps, laterCaller, host)
    await findIntern(deps, laterCaller, intern.id)
  })
  const signal = toAbortSignal(tracked.response.signal)
  let sent: Promise<unknown> | undefined
  try {
    const runOperation = () =>
      translateFileErrors(run(deps.provisioner.storageOf(intern).files, signal), () => tracked.response.revocationFault)
    const result = await (auditAction
      ? auditFileAccess(deps.chatTurnDeps, { caller, intern, action: auditAction, paths }, runOperation)
      : runOperation())
    sent = waitUntilSent?.(result)
    return result
  } finally {
    if (sent) void sent.finally(() => tracked.release())
    else tracked.release()
  }
}

const faultKindByCode: Record<number, FaultKind> = {
  400: 'invalid',
  403: 'forbidden',
  404: 'not_found',
  409: 'conflict',
  413: 'payload_too_large',
  416: 'range_not_satisfiable',
  503: 'unavailable',
}

/** Converts errors of the daemon to faults. If the caller lost access meanwhile, that is the error. */
async function translateFileErrors<Result>(
  result: Promise<Result>,
  findRevocation: () => Fault | undefined,
): Promise<Result> {
  try {
    return await result
  } catch (error) {
    const revocation = findRevocation()
    if (revocation) throw revocation
    if (!(error instanceof Refusal)) throw error
    throw new Fault(faultKindByCode[error.code] ?? 'bad_gateway', error.message)
  }
}
