import type { Caller } from '#accounts/caller.ts'
import type { Db } from '#db/db.ts'
import { sql } from '#db/kysely.ts'
import type { Now } from '#lib/clock.ts'

export type TurnRates = { user: number; organization: number }

const minuteMs = 60_000

/**
 * Counts a turn of the caller over all servers. Within a minute (of the clock, not a sliding one) a user and an
 * organization have so many.
 * @returns undefined, or in how many milliseconds the next minute begins when this turn is one too many.
 */
export async function countTurn(
  deps: { db: Db; now: Now },
  caller: Caller,
  rates: TurnRates,
): Promise<number | undefined> {
  const at = deps.now()
  const minute = Math.floor(at / minuteMs)
  const [user, organization] = await Promise.all([
    increment(deps.db, `user:${caller.userId}`, minute),
    increment(deps.db, `organization:${caller.organizationId}`, minute),
  ])
  if (user <= rates.user && organization <= rates.organization) return undefined
  return (minute + 1) * minuteMs - at
}

async function increment(db: Db, subject: string, minute: number): Promise<number> {
  const { turns } = await db.query
    .insertInto('turn_counts')
    .values({ subject, minute, turns: 1 })
    .onConflict((conflict) =>
      conflict.columns(['subject', 'minute']).doUpdateSet({ turns: sql`turn_counts.turns + 1` as never }),
    )
    .returning('turns')
    .executeTakeFirstOrThrow()
  if (turns === 1) await forgetOld(db, subject, minute)
  return turns
}

/** The first turn of a minute clears away the minutes before it. */
async function forgetOld(db: Db, subject: string, minute: number): Promise<void> {
  await db.query.deleteFrom('turn_counts').where('subject', '=', subject).where('minute', '<', minute).execute()
}
