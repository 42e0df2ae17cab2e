import { newUuid } from '#platform/core/id.ts'
import { groupAccountPrefix } from '#spend/budgets/account-id.ts'
import { type Budget, type GroupSubject, periodOf } from '#spend/budgets/budget.ts'
import type { Seeded } from '../service/world/seeded.ts'

export const limitAmounts = [1_000_000n, 400_000n, 2_500_000n]
export const intervals = [null, 'daily', 'weekly', 'monthly'] as const

/** Creates the limits of two keys and, with `sessions`, those of two sessions. */
export function createLimits(chance: Seeded, name: string, sessions: boolean): Budget[] {
  const guardrail = newUuid()
  const keyed = { kind: 'key', hash: name } as const
  const ofSession = (value: string): GroupSubject => ({
    kind: 'group',
    guardrailId: guardrail,
    workspaceId: 'w',
    createdAt: 0,
    isDefault: true,
    value,
    grouping: { by: 'session' },
  })
  const accounts: Pick<Budget, 'id' | 'subject' | 'interval'>[] = [
    { id: `key:${name}-0`, subject: keyed, interval: null },
    { id: `key:${name}-1`, subject: keyed, interval: 'daily' },
  ]
  for (const [session, interval] of sessions
    ? ([
        ['a', null],
        ['b', 'weekly'],
      ] as const)
    : [])
    accounts.push({
      id: `${groupAccountPrefix(guardrail, { by: 'session' })}${session}`,
      subject: ofSession(session),
      interval,
    })
  return accounts.map((account) => ({ ...account, limit: chance.pick(limitAmounts), includesByok: false }))
}

/** A period of a day and one of a week can start on the same day. */
export const keyOf = ({ id, interval }: Pick<Budget, 'id' | 'interval'>, at: number) =>
  `${id} ${interval} ${periodOf({ interval }, at)}`
