import { z } from 'zod'
import { getKey } from '#accounts/keys.ts'
import { dayOf } from '#usage/days.ts'
import { keySpending } from '#usage/key-spending.ts'
import { listActivity } from '#usage/read.ts'
import { route } from '../../route.ts'

/** There are no credits to run out of: clients that subtract what was used see more than anybody spends. */
const withoutLimit = 1_000_000_000

export const getCredits = route({
  method: 'get',
  path: '/credits',
  tag: 'usage',
  key: 'any',
  summary: 'What may be spent and what was, for clients that ask so',
  description:
    'Nobody buys credits here. With a limit the credits are what the key has used and what is left of its limit; without, they are what was used and a billion. A management key is told what the organization used.',
  response: z.object({
    data: z
      .object({ total_credits: z.number().describe('In USD.'), total_usage: z.number().describe('In USD.') })
      .meta({ id: 'Credits' }),
  }),
  faults: ['unauthenticated'],
  handler: async ({ caller: { organizationId, keyHash, keyKind } }, deps) => {
    if (keyKind === 'management') {
      const days = { fromDay: 0, toDay: dayOf(deps.now()) }
      const found = await listActivity(deps, { organizationId, ...days, by: new Set() })
      const used = found.reduce((sum, { costUsd }) => sum + costUsd, 0)
      return { data: { total_credits: used + withoutLimit, total_usage: used } }
    }
    const key = await getKey(deps, organizationId, keyHash)
    const [spent] = await keySpending(deps, [key])
    const used = spent?.usage ?? 0
    return { data: { total_credits: used + (spent?.limit_remaining ?? withoutLimit), total_usage: used } }
  },
})
