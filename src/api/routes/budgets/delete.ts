import { z } from '#platform/json/schema.ts'
import { removePooledBudget } from '#spend/budgets/pooled/pooled-budgets.ts'
import { budgetEntity } from '../entities.ts'
import { route } from '../route.ts'
import {
  OrganizationBudgetParams,
  organizationBudgetOwner,
  WorkspaceBudgetParams,
  workspaceBudgetOwner,
} from './owner.ts'

const Deleted = z.object({ deleted: z.literal(true) })

export const deleteWorkspaceBudget = route({
  method: 'delete',
  path: '/workspaces/{id}/budgets/{interval}',
  workspaceParam: 'id',
  tag: 'workspaces',
  key: 'management',
  summary: 'Delete a budget of a workspace',
  description: 'The limit does not apply to later requests.',
  request: { params: WorkspaceBudgetParams },
  response: Deleted,
  ifMatch: budgetEntity,
  faults: ['invalid', 'unauthenticated', 'forbidden', 'not_found', 'conflict'],
  handler: async ({ params, caller }, deps) => {
    await removePooledBudget(deps, caller, await workspaceBudgetOwner(deps, caller, params.id), params.interval)
    return { deleted: true as const }
  },
})

export const deleteOrganizationBudget = route({
  method: 'delete',
  path: '/organization/budgets/{interval}',
  tag: 'organization',
  key: 'management',
  scope: 'organization',
  summary: 'Delete a budget of the organization',
  description: 'The limit does not apply to later requests.',
  request: { params: OrganizationBudgetParams },
  response: Deleted,
  ifMatch: budgetEntity,
  faults: ['invalid', 'unauthenticated', 'forbidden', 'not_found', 'conflict'],
  handler: async ({ params, caller }, deps) => {
    await removePooledBudget(deps, caller, organizationBudgetOwner(caller), params.interval)
    return { deleted: true as const }
  },
})
