import type { Caller } from '#identity/accounts/caller.ts'
import { resolveWorkspaceId } from '#identity/accounts/workspaces.ts'
import type { Config } from '#platform/config/settings.ts'
import type { Now } from '#platform/core/clock.ts'
import type { Db } from '#platform/db/db.ts'
import type { Page, PageQuery } from '#platform/json/page.ts'
import type { Guardrail } from './guardrail.ts'
import { findGuardrail, type GuardrailFilter, listGuardrailRows } from './guardrail-rows.ts'
import { readGuardrailWithSpending } from './guardrail-spending.ts'
import { guardrailNotFound, requireLocation } from './write-guardrails.ts'

type ReadDeps = { db: Db; now: Now; config: Pick<Config, 'zdr_vendors'> }

/** @throws Fault `not_found`, also for a workspace's default that was never changed. */
export async function getGuardrail(deps: ReadDeps, caller: Caller, id: string): Promise<Guardrail> {
  await requireLocation(deps, caller, id)
  const record = await findGuardrail(deps.db.query, id)
  if (!record) throw guardrailNotFound()
  return readGuardrailWithSpending(deps, record)
}

/** Lists the guardrails of the organization or of one workspace. @throws Fault `invalid` for an unknown workspace. */
export async function listGuardrails(
  deps: ReadDeps,
  caller: Caller,
  query: PageQuery & GuardrailFilter,
): Promise<Page<Guardrail>> {
  const { organizationId } = caller
  const isAll = query.workspace_id === undefined && !caller.isWorkspaceScoped
  const workspace_id = isAll ? undefined : await resolveWorkspaceId(deps, caller, query.workspace_id)
  const { data, total_count } = await listGuardrailRows(deps.db, organizationId, { ...query, workspace_id })
  return { data: await Promise.all(data.map((record) => readGuardrailWithSpending(deps, record))), total_count }
}
