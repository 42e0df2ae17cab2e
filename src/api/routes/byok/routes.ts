import type { Route } from '../route.ts'
import { createByok } from './create.ts'
import { deleteByok } from './delete.ts'
import { getByok } from './get.ts'
import { listByok } from './list.ts'
import { updateByok } from './update.ts'

export const byokRoutes = {
  listProviderKeys: listByok,
  createProviderKey: createByok,
  getProviderKey: getByok,
  updateProviderKey: updateByok,
  deleteProviderKey: deleteByok,
} satisfies Record<string, Route>
