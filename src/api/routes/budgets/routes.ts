import type { Route } from '../route.ts'
import { deleteOrganizationBudget, deleteWorkspaceBudget } from './delete.ts'
import { getOrganizationBudget, getWorkspaceBudget } from './get.ts'
import { listOrganizationBudgets, listWorkspaceBudgets } from './list.ts'
import { setOrganizationBudget, setWorkspaceBudget } from './set.ts'

export const budgetRoutes = {
  listWorkspaceBudgets,
  getWorkspaceBudget,
  setWorkspaceBudget,
  deleteWorkspaceBudget,
  listOrganizationBudgets,
  getOrganizationBudget,
  setOrganizationBudget,
  deleteOrganizationBudget,
} satisfies Record<string, Route>
