import type { Route } from '../route.ts'
import { createKeyRoute } from './create.ts'
import { deleteKeyRoute } from './delete.ts'
import { getKeyRoute } from './get.ts'
import { listKeysRoute } from './list.ts'
import { listKeyBudgets } from './list-budgets.ts'
import { getKeyThresholds, setKeyThresholds } from './thresholds.ts'
import { updateKey } from './update.ts'

export const keyRoutes = {
  listKeys: listKeysRoute,
  createKey: createKeyRoute,
  getKey: getKeyRoute,
  listKeyBudgets,
  getKeyThresholds,
  setKeyThresholds,
  updateKey,
  deleteKey: deleteKeyRoute,
} satisfies Record<string, Route>
