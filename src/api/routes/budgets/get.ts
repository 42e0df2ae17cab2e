import { z } from '#platform/json/schema.ts'
import { OrganizationBudget, WorkspaceBudget } from '#spend/budgets/pooled/pooled-budget.ts'
import { getPooledBudget } from '#spend/budgets/pooled/pooled-budgets.ts'
import { budgetEntity } from '../entities.ts'
import { route } from '../route.ts'
import {
  IncludesByok,
  OrganizationBudgetParams,
  organizationBudgetOwner,
  WorkspaceBudgetParams,
  workspaceBudgetOwner,
} from './owner.ts'

export const getWorkspaceBudget = route({
  method: 'get',
  path: '/workspaces/{id}/budgets/{interval}',
  workspaceParam: 'id',
  tag: 'workspaces',
  key: 'management',
  summary: 'Get a budget of a workspace',
  description: 'Includes the spending of the current period.',
  request: { params: WorkspaceBudgetParams },
  response: z.object({ data: WorkspaceBudget, include_byok_in_budgets: IncludesByok }),
  etag: budgetEntity,
  faults: ['invalid', 'unauthenticated', 'forbidden', 'not_found'],
  handler: async ({ params, caller }, deps) => {
    const owner = await workspaceBudgetOwner(deps, caller, params.id)
    const { data, include_byok_in_budgets } = await getPooledBudget(deps, owner, params.interval)
    return { data: { ...data, workspace_id: owner.id }, include_byok_in_budgets }
  },
})

export const getOrganizationBudget = route({
  method: 'get',
  path: '/organization/budgets/{interval}',
  tag: 'organization',
  key: 'management',
  scope: 'organization',
  summary: 'Get a budget of the organization',
  description: 'Includes the spending of the current period.',
  request: { params: OrganizationBudgetParams },
  response: z.object({ data: OrganizationBudget, include_byok_in_budgets: IncludesByok }),
  etag: budgetEntity,
  faults: ['invalid', 'unauthenticated', 'forbidden', 'not_found'],
  handler: async ({ params, caller }, deps) => {
    const owner = organizationBudgetOwner(caller)
    const { data, include_byok_in_budgets } = await getPooledBudget(deps, owner, params.interval)
    return { data: { ...data, organization_id: owner.id }, include_byok_in_budgets }
  },
})
