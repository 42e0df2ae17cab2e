import { z } from '#platform/json/schema.ts'
import { OrganizationBudget, WorkspaceBudget } from '#spend/budgets/pooled/pooled-budget.ts'
import { listPooledBudgets } from '#spend/budgets/pooled/pooled-budgets.ts'
import { route } from '../route.ts'
import { WorkspaceParams } from '../workspaces/workspace.ts'
import { IncludesByok, organizationBudgetOwner, workspaceBudgetOwner } from './owner.ts'

export const listWorkspaceBudgets = route({
  method: 'get',
  path: '/workspaces/{id}/budgets',
  workspaceParam: 'id',
  tag: 'workspaces',
  key: 'management',
  summary: 'List the budgets of a workspace',
  description:
    'Returns at most one budget for each interval, shortest interval first, with the spending of the current period.',
  request: { params: WorkspaceParams },
  response: z.object({ data: z.array(WorkspaceBudget), include_byok_in_budgets: IncludesByok }),
  faults: ['unauthenticated', 'forbidden', 'not_found'],
  handler: async ({ params, caller }, deps) => {
    const owner = await workspaceBudgetOwner(deps, caller, params.id)
    const { data, include_byok_in_budgets } = await listPooledBudgets(deps, owner)
    return { data: data.map((budget) => ({ ...budget, workspace_id: owner.id })), include_byok_in_budgets }
  },
})

export const listOrganizationBudgets = route({
  method: 'get',
  path: '/organization/budgets',
  tag: 'organization',
  key: 'management',
  scope: 'organization',
  summary: 'List the budgets of the organization',
  description: 'At most one for each interval, the shortest first. The spending of all workspaces counts together.',
  response: z.object({ data: z.array(OrganizationBudget), include_byok_in_budgets: IncludesByok }),
  faults: ['unauthenticated', 'forbidden'],
  handler: async ({ caller }, deps) => {
    const owner = organizationBudgetOwner(caller)
    const { data, include_byok_in_budgets } = await listPooledBudgets(deps, owner)
    return { data: data.map((budget) => ({ ...budget, organization_id: owner.id })), include_byok_in_budgets }
  },
})
