import { z } from '#platform/json/schema.ts'
import { OrganizationBudget, PooledBudgetBody, WorkspaceBudget } from '#spend/budgets/pooled/pooled-budget.ts'
import { setPooledBudget } from '#spend/budgets/pooled/pooled-budgets.ts'
import { budgetEntity } from '../entities.ts'
import { route } from '../route.ts'
import {
  IncludesByok,
  OrganizationBudgetParams,
  organizationBudgetOwner,
  WorkspaceBudgetParams,
  workspaceBudgetOwner,
} from './owner.ts'

export const setWorkspaceBudget = route({
  method: 'put',
  path: '/workspaces/{id}/budgets/{interval}',
  workspaceParam: 'id',
  tag: 'workspaces',
  key: 'management',
  summary: 'Create or change a budget of a workspace',
  description:
    'The spending of all keys and members of the workspace counts together. A new budget counts from the day on which it was created, in the current period.',
  request: { params: WorkspaceBudgetParams, body: PooledBudgetBody },
  response: z.object({ data: WorkspaceBudget, include_byok_in_budgets: IncludesByok }),
  etag: budgetEntity,
  ifMatch: budgetEntity,
  canCreate: true,
  faults: ['invalid', 'unauthenticated', 'forbidden', 'not_found', 'conflict', 'unsupported_media_type'],
  handler: async ({ params, body, caller }, deps) => {
    const owner = await workspaceBudgetOwner(deps, caller, params.id)
    const { data, include_byok_in_budgets } = await setPooledBudget(deps, caller, owner, params.interval, body)
    return { data: { ...data, workspace_id: owner.id }, include_byok_in_budgets }
  },
})

export const setOrganizationBudget = route({
  method: 'put',
  path: '/organization/budgets/{interval}',
  tag: 'organization',
  key: 'management',
  scope: 'organization',
  summary: 'Create or change a budget of the organization',
  description:
    'The spending of all workspaces counts together. A new budget counts from the day on which it was created, in the current period.',
  request: { params: OrganizationBudgetParams, body: PooledBudgetBody },
  response: z.object({ data: OrganizationBudget, include_byok_in_budgets: IncludesByok }),
  etag: budgetEntity,
  ifMatch: budgetEntity,
  canCreate: true,
  faults: ['invalid', 'unauthenticated', 'forbidden', 'conflict', 'unsupported_media_type'],
  handler: async ({ params, body, caller }, deps) => {
    const owner = organizationBudgetOwner(caller)
    const { data, include_byok_in_budgets } = await setPooledBudget(deps, caller, owner, params.interval, body)
    return { data: { ...data, organization_id: owner.id }, include_byok_in_budgets }
  },
})
