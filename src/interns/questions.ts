import type { Db, Query, Tx } from '#db/db.ts'
import { upsert } from '#db/upsert.ts'
import type { Now } from '#lib/clock.ts'
import type { Question } from './question.ts'

/** A question as its caller was told it, which is all that is known of what an answer consents to. */
export type AskedQuestion = { question: Question; sessionId: string; askedAt: number; deadlineAt: number }

/** No question waits longer, whatever a daemon says. */
const longestMs = 86_400_000

/** Kept before the caller hears of it. Those whose time is over are forgotten with it: nobody can answer them. */
export async function saveQuestion(
  { db, now }: { db: Db; now: Now },
  internId: string,
  { question, sessionId, deadlineAt }: Omit<AskedQuestion, 'askedAt'>,
): Promise<void> {
  const told = { session_id: sessionId, question: JSON.stringify(question), asked_at: now() }
  const row = { ...told, deadline_at: Math.min(Math.round(deadlineAt), now() + longestMs) }
  await db.exclusively(`questions of ${internId}`, async (tx) => {
    await tx.deleteFrom('intern_questions').where('intern_id', '=', internId).where('deadline_at', '<', now()).execute()
    const questionRow = { intern_id: internId, id: question.id, ...row }
    await upsert(tx, 'intern_questions', [questionRow], { key: ['intern_id', 'id'] }).execute()
  })
}

/** Of a session, by its id; the last one without. */
export async function findQuestion(
  { db }: { db: { query: Query | Tx } },
  internId: string,
  { sessionId, id }: { sessionId: string; id: string | undefined },
): Promise<AskedQuestion | undefined> {
  const row = await db.query
    .selectFrom('intern_questions')
    .where('intern_id', '=', internId)
    .where('session_id', '=', sessionId)
    .$if(id !== undefined, (rows) => rows.where('id', '=', id!))
    .orderBy('asked_at', 'desc')
    .selectAll()
    .executeTakeFirst()
  return row && askedOf(row)
}

/** Those whose time to be answered is not over, the oldest first. A run that has ended since is not known of. */
export async function openQuestions(
  { db, now }: { db: { query: Query }; now: Now },
  internId: string,
): Promise<AskedQuestion[]> {
  const rows = await db.query
    .selectFrom('intern_questions')
    .where('intern_id', '=', internId)
    .where('deadline_at', '>', now())
    .orderBy('asked_at')
    .orderBy('id')
    .selectAll()
    .execute()
  return rows.map(askedOf)
}

/** It has its answer, or will get none any more. */
export async function forgetQuestion(db: { query: Query }, internId: string, id: string): Promise<void> {
  await db.query.deleteFrom('intern_questions').where('intern_id', '=', internId).where('id', '=', id).execute()
}

type QuestionsRow = { session_id: string; question: string; asked_at: number; deadline_at: number }

function askedOf({ session_id, question, asked_at, deadline_at }: QuestionsRow): AskedQuestion {
  return {
    question: JSON.parse(question) as Question,
    sessionId: session_id,
    askedAt: asked_at,
    deadlineAt: deadline_at,
  }
}
