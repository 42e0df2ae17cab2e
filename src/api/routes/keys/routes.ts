import type { Route } from '../route.ts'
import { createOneKey } from './create.ts'
import { deleteOneKey } from './delete.ts'
import { getOneKey } from './get.ts'
import { listAllKeys } from './list.ts'
import { listKeyBudgets } from './list-budgets.ts'
import { getKeyThresholds, setKeyThresholds } from './thresholds.ts'
import { updateKey } from './update.ts'

export const keyRoutes = {
  listKeys: listAllKeys,
  createKey: createOneKey,
  getKey: getOneKey,
  listKeyBudgets,
  getKeyThresholds,
  setKeyThresholds,
  updateKey,
  deleteKey: deleteOneKey,
} satisfies Record<string, Route>
