import type { Caller } from '#identity/accounts/caller.ts'
import { getWorkspace } from '#identity/accounts/workspaces.ts'
import { z } from '#platform/json/schema.ts'
import type { BudgetOwner } from '#spend/budgets/budget.ts'
import { budgetIntervals } from '#spend/budgets/pooled/pooled-budget.ts'
import type { ApiDeps } from '../../access/deps.ts'
import { WorkspaceParams } from '../workspaces/workspace.ts'

const interval = z.enum(budgetIntervals).describe('`lifetime` is a budget that never resets.')

export const WorkspaceBudgetParams = WorkspaceParams.extend({ interval })
export const OrganizationBudgetParams = z.object({ interval })

export const IncludesByok = z
  .boolean()
  .describe('Whether spending on your own provider keys counts towards the budgets of all intervals.')

/** @throws Fault `not_found`. */
export async function workspaceBudgetOwner(deps: ApiDeps, caller: Caller, name: string): Promise<BudgetOwner> {
  return { kind: 'workspace', id: (await getWorkspace(deps, caller, name)).id }
}

export const organizationBudgetOwner = ({ organizationId }: Caller): BudgetOwner => ({
  kind: 'organization',
  id: organizationId,
})
