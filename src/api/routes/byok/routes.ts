import type { Route } from '../route.ts'
import { createProviderKey } from './create.ts'
import { deleteProviderKey } from './delete.ts'
import { getProviderKey } from './get.ts'
import { listProviderKeys } from './list.ts'
import { updateProviderKey } from './update.ts'

export const byokRoutes = {
  listProviderKeys,
  createProviderKey,
  getProviderKey,
  updateProviderKey,
  deleteProviderKey,
} satisfies Record<string, Route>
