import { KeyRecord } from '#identity/accounts/keys/key.ts'
import { getOwnKey } from '#identity/accounts/keys/keys.ts'
import { regions } from '#platform/core/vocabulary.ts'
import { z } from '#platform/json/schema.ts'
import { findRegionViolation } from '#policy/guardrails/decide/find-violation.ts'
import { KeyUsage, readKeyUsage } from '#spend/budgets/key-usage.ts'
import { BudgetOfKey, budgetsOfKey } from '../keys/budgets.ts'
import { route } from '../route.ts'

/** Constant values for older clients: the service has no free tier and no rate limits of keys. */
const legacyFields = {
  is_free_tier: false,
  free_model_daily_requests: { limit: -1, remaining: -1, used: 0 },
  rate_limit: { requests: -1, interval: '10s', note: 'Deprecated: keys have no separate rate limit.' },
}

const CurrentKey = KeyRecord.pick({
  hash: true,
  kind: true,
  name: true,
  label: true,
  workspace_id: true,
  creator_user_id: true,
  limit: true,
  limit_reset: true,
  include_byok_in_limit: true,
  expires_at: true,
  interns_grant: true,
})
  .extend(KeyUsage.shape)
  .extend({
    organization_id: z.string(),
    is_management_key: z.boolean(),
    is_provisioning_key: z.boolean().describe('Deprecated: same as `is_management_key`.'),
    allowed_data_regions: z
      .array(z.enum(regions))
      .describe('The regions that the guardrails of the key allow for its requests.'),
    budgets: z
      .array(BudgetOfKey)
      .describe('All limits that count its spending, in the order in which they are checked.'),
    is_free_tier: z.literal(false),
    free_model_daily_requests: z.object({ limit: z.int(), remaining: z.int(), used: z.int() }),
    rate_limit: z.object({ requests: z.int(), interval: z.string(), note: z.string() }),
  })
  .meta({ id: 'CurrentKey', description: 'The calling key, its permissions and its spend.' })

export const getCurrentKey = route({
  method: 'get',
  path: '/key',
  tag: 'keys',
  key: 'any',
  summary: 'Get the calling key',
  description: 'Returns the limit, the spend and the expiry of the key.',
  response: z.object({ data: CurrentKey }),
  faults: ['unauthenticated'],
  handler: async ({ caller }, deps) => {
    const { disabled, external_user, created_at, updated_at, ...key } = await getOwnKey(deps, caller)
    const usageOf = await readKeyUsage(deps, [key])
    const policies = await deps.guardrailCache.policiesOf(caller)
    const isManagement = key.kind === 'management'
    return {
      data: {
        ...key,
        ...usageOf(key),
        ...legacyFields,
        organization_id: caller.organizationId,
        budgets: await budgetsOfKey(deps, caller, policies),
        is_management_key: isManagement,
        is_provisioning_key: isManagement,
        allowed_data_regions: regions.filter((region) => !findRegionViolation(policies.guardrails, region)),
      },
    }
  },
})
