import type { Caller } from '#identity/accounts/caller.ts'
import { minuteMs, type Now } from '#platform/core/clock.ts'
import type { Db } from '#platform/db/db.ts'
import { upsert } from '#platform/db/rows/upsert.ts'

export type TurnRates = { user: number; organization: number }

/**
 * Counts a turn of the caller over all servers, per user and organization, in minutes of the clock.
 * @returns undefined, or the milliseconds until the next minute if this turn exceeds a limit.
 */
export async function countTurn(
  deps: { db: Db; now: Now },
  caller: Caller,
  rates: TurnRates,
): Promise<number | undefined> {
  const at = deps.now()
  const minute = Math.floor(at / minuteMs)
  const user = `user:${caller.userId}`
  const organization = `organization:${caller.organizationId}`
  const turns = await increment(deps.db, [user, organization], minute)
  if (turns.get(user)! <= rates.user && turns.get(organization)! <= rates.organization) return undefined
  return (minute + 1) * minuteMs - at
}

/** Adds 1 to the count of each subject, and returns the counts. Uses one statement, because each write waits for the disk. */
async function increment(db: Db, subjects: string[], minute: number): Promise<Map<string, number>> {
  const newCounts = subjects.map((subject) => ({ subject, minute, turns: 1 }))
  const counts = await upsert(db.query, 'turn_counts', newCounts, { key: ['subject', 'minute'], add: ['turns'] })
    .returning(['subject', 'turns'])
    .execute()
  for (const { subject, turns } of counts) if (turns === 1) await deleteOldCounts(db, subject, minute)
  return new Map(counts.map(({ subject, turns }) => [subject, turns]))
}

/** Deletes the counts of earlier minutes, with the first turn of a minute. */
async function deleteOldCounts(db: Db, subject: string, minute: number): Promise<void> {
  await db.query.deleteFrom('turn_counts').where('subject', '=', subject).where('minute', '<', minute).execute()
}
