import { dayMs, type Now } from '#platform/core/clock.ts'
import { type Interval, intervals } from '#platform/core/vocabulary.ts'
import type { Db } from '#platform/db/db.ts'
import { sql } from '#platform/db/kysely.ts'
import type { PageQuery } from '#platform/json/page.ts'
import { periodEnd, periodStart } from '../days.ts'

/** The keys whose limits are compared. */
type LimitedKeys = {
  organizationId: string
  workspaceId: string | undefined
  creatorUserId: string | undefined
}

/**
 * Returns a page of the hashes of enabled keys with a limit, and the number of all of them: exhausted ones first, then by the share
 * that they are expected to use until the end of their period. The database compares them, so that any number of keys can have
 * limits.
 */
export async function keysByUsedLimit(
  { db, now }: { db: Pick<Db, 'reportQuery'>; now: Now },
  { organizationId, workspaceId, creatorUserId }: LimitedKeys,
  { offset, limit }: PageQuery,
): Promise<{ hashes: string[]; total: number }> {
  const at = now()
  const byInterval = (toValue: (interval: Interval) => number, defaultValue: number) => sql`
    case k.limit_reset ${sql.join(
      intervals.map((interval) => sql`when ${sql.lit(interval)} then ${sql.lit(toValue(interval))}`),
      sql` `,
    )} else ${sql.lit(defaultValue)} end`
  const firstDay = byInterval((interval) => periodStart(interval, at), 0)
  const isListed = sql`
         k.organization_id = ${organizationId}
         and k.disabled = 0 and k.limit_usd is not null
         and (k.expires_at is null or k.expires_at > ${at})
         ${workspaceId === undefined ? sql`` : sql`and k.workspace_id = ${workspaceId}`}
         ${creatorUserId === undefined ? sql`` : sql`and k.creator_user_id = ${creatorUserId}`}`
  const page = sql<{ hash: string }>`
    select hash from (
      select k.hash, ${byInterval((interval) => projectionFactor(interval, at), 1)} as pace,
             coalesce(sum(d.cost_pico * 1.0 + d.margin_pico * 1.0), 0) / (k.limit_usd * 1e12) as used
        from api_keys as k
        left join usage_days as d
          on d.key_hash = k.hash and d.byok <= k.include_byok_in_limit and d.day >= ${firstDay}
       where ${isListed}
       group by k.hash
    ) as limited
     order by case when used >= 1 then 1 else 0 end desc, used * pace desc, hash
     limit ${limit} offset ${offset}`
  const count = sql<{ total: number }>`select count(*) as total from api_keys as k where ${isListed}`
  const [{ rows }, counted] = await Promise.all([page.execute(db.reportQuery), count.execute(db.reportQuery)])
  return { hashes: rows.map(({ hash }) => hash), total: Number(counted.rows[0]?.total ?? 0) }
}

/**
 * The factor by which the spending so far is multiplied to estimate the spending of the whole period. At least a tenth of the period
 * counts as passed, because keys need a position in the list early in a period too, when `forecast.ts` predicts nothing.
 */
function projectionFactor(interval: Interval, at: number): number {
  const start = periodStart(interval, at) * dayMs
  const length = periodEnd(interval, at) - start
  return length / Math.max(at - start, length / 10)
}
