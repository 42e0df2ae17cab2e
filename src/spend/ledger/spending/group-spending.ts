import { dayMs } from '#platform/core/clock.ts'
import type { Db } from '#platform/db/db.ts'
import { sql } from '#platform/db/kysely.ts'
import type { Day } from '../days.ts'
import type { Grouping } from '../request-group.ts'
import { exactSum } from '../sums/exact.ts'
import { type Spending, toSpending } from './spending.ts'

/** The requests of one session or tag value in a workspace. */
type SpendingGroup = {
  workspaceId: string
  grouping: Grouping
  value: string
  /** The guardrail whose keys and members count; undefined for the whole workspace. */
  assignedTo: string | undefined
}

/** Sums the single requests of a group since a day. Requests older than the retention of the ledger are missing. */
export async function readGroupSpending(
  { db }: { db: Pick<Db, 'query'> },
  { workspaceId, grouping, value, assignedTo }: SpendingGroup,
  sinceDay: Day,
): Promise<Spending> {
  const requests = db.query
    .selectFrom('generations as g')
    .where('g.workspace_id', '=', workspaceId)
    .where('g.created_at', '>=', sinceDay * dayMs)
  const inGroup =
    grouping.by === 'session'
      ? requests.where('g.session_id', '=', value)
      : requests.where('g.id', 'in', (e) =>
          e
            .selectFrom('request_tags')
            .where('name', '=', grouping.name)
            .where('value', '=', value)
            .where('created_at', '>=', sinceDay * dayMs)
            .select('generation_id'),
        )
  const countedRequests = assignedTo === undefined ? inGroup : inGroup.where(isAssigned(assignedTo))
  const row = await countedRequests
    .select([
      sumIf(0, 'cost_pico').as('operator'),
      sumIf(1, 'cost_pico').as('byok'),
      sumIf(0, 'margin_pico').as('margin'),
      sumIf(1, 'margin_pico').as('byokMargin'),
    ])
    .executeTakeFirstOrThrow()
  return toSpending(row)
}

/** The record is JSON of this service, in which quotes of texts are escaped. Both databases can search it. */
const isByok = sql`g.record like '%"is_byok":true%'`

function sumIf(byok: 0 | 1, column: 'cost_pico' | 'margin_pico') {
  const amount = sql.ref(`g.${column}`)
  return exactSum(
    byok === 1
      ? sql`case when ${isByok} then ${amount} else 0 end`
      : sql`case when ${isByok} then 0 else ${amount} end`,
  )
}

function isAssigned(guardrailId: string) {
  const targets = (kind: 'key' | 'member') =>
    sql`(select target_id from guardrail_assignments where guardrail_id = ${guardrailId} and target_kind = ${kind})`
  return sql<boolean>`(g.key_hash in ${targets('key')} or g.user_id in ${targets('member')})`
}
