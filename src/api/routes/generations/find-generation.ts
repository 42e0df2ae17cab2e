import type { Caller } from '#identity/accounts/caller.ts'
import { Fault } from '#platform/core/fault.ts'
import { findGeneration } from '#spend/ledger/read-generations.ts'
import type { ApiDeps } from '../../access/deps.ts'

/**
 * Returns this service's id of a request (`gen-…`). `name` is that id, or the `id` in the body of the completion, which the
 * provider chose. An unknown name is returned unchanged: the lookup that follows then finds nothing.
 */
export async function findGenerationId(deps: Pick<ApiDeps, 'db'>, caller: Caller, name: string): Promise<string> {
  if (name.startsWith('gen-')) return name
  const generation = await findGeneration(deps, caller, name).catch((error: unknown) => {
    if (!(error instanceof Fault && error.kind === 'not_found')) throw error
  })
  return generation?.id ?? name
}
