import { isoTime, type Now } from '#platform/core/clock.ts'
import { Fault } from '#platform/core/fault.ts'
import type { NewId } from '#platform/core/id.ts'
import type { Db, Query, Tx } from '#platform/db/db.ts'

export const feedbackCategories = [
  'latency',
  'incoherence',
  'incorrect_response',
  'formatting',
  'billing',
  'api_error',
  'other',
] as const

type Feedback = { category: (typeof feedbackCategories)[number]; comment: string | null }

/** The maximum number of reports about one request. */
const maxReports = 20

/** Stores what a user reports about a response. @throws Fault `conflict` if the request has too many reports. */
export async function addFeedback(
  { db, now, newId }: { db: Db; now: Now; newId: NewId },
  generationId: string,
  userId: string,
  { category, comment }: Feedback,
): Promise<void> {
  await db.exclusively(`feedback ${generationId}`, async (tx) => {
    if ((await readFeedback(tx, generationId)).length >= maxReports)
      throw new Fault('conflict', `The generation has ${maxReports} reports, which is the maximum.`)
    const row = { id: newId(), generation_id: generationId, user_id: userId, category, comment, created_at: now() }
    await tx.insertInto('generation_feedback').values(row).execute()
  })
}

/** Reads the reports about a request, oldest first. */
export async function readFeedback(query: Query | Tx, generationId: string) {
  const rows = await query
    .selectFrom('generation_feedback')
    .where('generation_id', '=', generationId)
    .select(['user_id', 'category', 'comment', 'created_at'])
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  return rows.map(({ created_at, ...row }) => ({ ...row, created_at: isoTime(created_at) }))
}
