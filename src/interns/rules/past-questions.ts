import { dayMs, type Now } from '#platform/core/clock.ts'
import type { Db, Query, Tx } from '#platform/db/db.ts'
import type { Action } from '../contract/rules/rule.ts'
import type { RuleOwner } from './rules-store.ts'

/** A past permission question. `answer` is null if it was not answered. */
export type PastQuestion = {
  internId: string
  id: string
  agent: string
  action: Action
  askedAt: number
  answer: string | null
}

/** The time for which questions are stored. */
export const storedForMs = 92 * dayMs

/** Stores a question for later replays, once, and deletes old questions of all interns. */
export async function savePastQuestion(
  tx: Tx,
  { now }: { now: Now },
  workspaceId: string,
  { internId, id, agent, action, askedAt }: Omit<PastQuestion, 'answer'>,
): Promise<void> {
  await tx
    .deleteFrom('intern_past_questions')
    .where('asked_at', '<', now() - storedForMs)
    .execute()
  const existing = await tx
    .selectFrom('intern_past_questions')
    .where('intern_id', '=', internId)
    .where('id', '=', id)
    .select('id')
    .executeTakeFirst()
  if (existing) return
  const row = { agent, action: JSON.stringify(action), asked_at: askedAt, answer: null, answered_by: null }
  await tx
    .insertInto('intern_past_questions')
    .values({ intern_id: internId, id, workspace_id: workspaceId, ...row })
    .execute()
}

/** Stores the answer to a question, and the member who gave it. */
export async function storePastAnswer(
  { db }: { db: Pick<Db, 'query'> },
  { internId, id }: { internId: string; id: string },
  { answer, by }: { answer: string; by: string },
): Promise<void> {
  await db.query
    .updateTable('intern_past_questions')
    .set({ answer, answered_by: by })
    .where('intern_id', '=', internId)
    .where('id', '=', id)
    .execute()
}

const pageSize = 500

/** Reads the questions of an intern or workspace from `from` until before `to`, the latest first, in pages. */
export async function* readPastQuestions(
  query: Query,
  { workspaceId, internId }: RuleOwner,
  { from, to }: { from: number; to: number },
): AsyncIterable<PastQuestion[]> {
  let last: { askedAt: number; internId: string; id: string } | undefined
  for (;;) {
    const rows = await query
      .selectFrom('intern_past_questions')
      .where('workspace_id', '=', workspaceId)
      .where('asked_at', '>=', from)
      .where('asked_at', '<', to)
      .$if(internId !== null, (all) => all.where('intern_id', '=', internId))
      .where((e) => {
        if (!last) return e.lit(true)
        const isSameTime = e('asked_at', '=', last.askedAt)
        return e.or([
          e('asked_at', '<', last.askedAt),
          e.and([isSameTime, e('intern_id', '>', last.internId)]),
          e.and([isSameTime, e('intern_id', '=', last.internId), e('id', '>', last.id)]),
        ])
      })
      .orderBy('asked_at', 'desc')
      .orderBy('intern_id')
      .orderBy('id')
      .limit(pageSize)
      .selectAll()
      .execute()
    if (rows.length === 0) return
    const page = rows.map((row) => ({
      internId: row.intern_id,
      id: row.id,
      agent: row.agent,
      askedAt: row.asked_at,
      answer: row.answer,
      action: JSON.parse(row.action) as Action,
    }))
    last = page.at(-1)
    yield page
  }
}
