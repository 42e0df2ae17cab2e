import type { Caller } from '#identity/accounts/caller.ts'
import { getOwnKey } from '#identity/accounts/keys/keys.ts'
import { type PicoUsd, toPicoUsd, toUsd } from '#platform/core/pico-usd.ts'
import type { Db } from '#platform/db/db.ts'
import { z } from '#platform/json/schema.ts'
import { readKeyUsage } from '#spend/budgets/key-usage.ts'
import { readSpendingOf } from '#spend/ledger/spending/spending.ts'
import { route } from '../route.ts'

/** The service has no credits. Clients that subtract the usage must see a balance that never runs out. */
const unlimitedCredit = toPicoUsd(1_000_000_000)

export const getCredits = route({
  method: 'get',
  path: '/credits',
  tag: 'usage',
  key: 'any',
  summary: 'Get credits and usage, for compatibility',
  description:
    'For compatibility: credits are not sold. With a limit, the credits are the used and the remaining amount of the limit. Without a limit, they are the used amount and a billion. For a management key, usage covers the organization.',
  response: z.object({
    data: z
      .object({ total_credits: z.number().describe('In USD.'), total_usage: z.number().describe('In USD.') })
      .meta({ id: 'Credits' }),
  }),
  faults: ['unauthenticated'],
  handler: async ({ caller }, deps) => {
    if (caller.keyKind === 'management') return creditsResponse(await readTotalUsage(deps.db, caller))
    const key = await getOwnKey(deps, caller)
    const { usage, limit_remaining } = (await readKeyUsage(deps, [key]))(key)
    return creditsResponse(toPicoUsd(usage), limit_remaining === null ? undefined : toPicoUsd(limit_remaining))
  },
})

/**
 * The usage of the organization or workspace of a management key, without spending on its own provider keys (BYOK): `operator` is
 * the spending on the provider keys of the service.
 */
async function readTotalUsage(db: Db, { organizationId, workspaceId, isWorkspaceScoped }: Caller): Promise<PicoUsd> {
  const spenders = isWorkspaceScoped ? { organizationId, workspaceId } : { organizationId }
  const sinceFirstDay = 0
  return (await readSpendingOf({ db: { query: db.reportQuery } }, spenders, sinceFirstDay)).operator
}

const creditsResponse = (usedPico: PicoUsd, remaining: PicoUsd = unlimitedCredit) => ({
  data: { total_credits: toUsd(usedPico + remaining), total_usage: toUsd(usedPico) },
})
