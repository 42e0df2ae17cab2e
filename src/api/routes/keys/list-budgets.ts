import type { KeyRecord } from '#identity/accounts/keys/key.ts'
import { requireVisible } from '#identity/accounts/keys/key-access.ts'
import { getKey } from '#identity/accounts/keys/keys.ts'
import { z } from '#platform/json/schema.ts'
import { route } from '../route.ts'
import { BudgetOfKey, budgetsOfKey } from './budgets.ts'
import { KeyParams } from './key.ts'

export const listKeyBudgets = route({
  method: 'get',
  path: '/keys/{hash}/budgets',
  tag: 'keys',
  key: 'management',
  roles: ['owner', 'admin', 'developer', 'viewer'],
  summary: 'List the budgets of a key',
  description:
    'All limits that count the spending of the key, in the order in which they are checked. None for management keys, which use no models.',
  request: { params: KeyParams },
  response: z.object({ data: z.array(BudgetOfKey) }),
  faults: ['unauthenticated', 'forbidden', 'not_found'],
  handler: async ({ params, caller }, deps) => {
    const key = await getKey(deps, caller, params.hash)
    requireVisible(caller, key)
    if (key.kind === 'management') return { data: [] }
    const spender = spenderOf(key)
    return { data: await budgetsOfKey(deps, spender, await deps.guardrailCache.policiesOf(spender)) }
  },
})

/** The fields of a caller that decide which limits apply. */
const spenderOf = (key: KeyRecord) => ({
  keyHash: key.hash,
  workspaceId: key.workspace_id,
  // Every key has a creator. Only the type of the API allows null.
  userId: key.creator_user_id!,
  spendLimit:
    key.limit === null ? null : { usd: key.limit, reset: key.limit_reset, includesByok: key.include_byok_in_limit },
})
