import type { Db, Query, Tx } from '#db/db.ts'
import type { Announce } from '#db/signals.ts'
import { upsert } from '#db/upsert.ts'
import type { Now } from '#lib/clock.ts'
import { type QuestionEnd, questionAsked, questionOver } from './events.ts'
import type { AskedQuestion, Question } from './question.ts'
import { internById } from './store.ts'

/** No question waits longer, whatever a daemon says. */
const longestMs = 86_400_000

/** Kept before the caller hears of it. Those whose time is over are forgotten with it: nobody can answer them. */
export async function saveQuestion(
  { db, now }: { db: Db; now: Now },
  internId: string,
  { question, sessionId, deadlineAt: wanted }: Omit<AskedQuestion, 'askedAt'>,
): Promise<void> {
  const asked = { question, sessionId, askedAt: now(), deadlineAt: Math.min(Math.round(wanted), now() + longestMs) }
  await db.exclusively(questionsOf(internId), async (tx, announce) => {
    await endQuestions(tx, announce, internId, { now, end: { state: 'ended' }, before: now() })
    const row = { session_id: sessionId, question: JSON.stringify(question), asked_at: asked.askedAt }
    const questionRow = { intern_id: internId, id: question.id, ...row, deadline_at: asked.deadlineAt }
    await upsert(tx, 'intern_questions', [questionRow], { key: ['intern_id', 'id'] }).execute()
    const intern = await internById(tx, internId)
    if (intern) announce('intern.asked', internId, questionAsked(intern, asked, now()))
  })
}

/** Under which name changes of an intern's questions exclude each other. */
export const questionsOf = (internId: string) => `questions of ${internId}`

type Ending = { now: Now; end: QuestionEnd; id?: string; before?: number }

/** Forgets questions of an intern: one, those whose time was over before an instant, or all; and says so. */
export async function endQuestions(
  tx: Tx,
  announce: Announce,
  internId: string,
  { now, end, id, before }: Ending,
): Promise<void> {
  const ended = await tx
    .deleteFrom('intern_questions')
    .where('intern_id', '=', internId)
    .$if(id !== undefined, (rows) => rows.where('id', '=', id!))
    .$if(before !== undefined, (rows) => rows.where('deadline_at', '<', before!))
    .returning(['id', 'session_id'])
    .execute()
  const intern = ended.length > 0 ? await internById(tx, internId) : undefined
  if (!intern) return
  for (const { id, session_id: sessionId } of ended)
    announce('intern.asked', internId, questionOver(intern, { id, sessionId }, now(), end))
}

/** Ends the questions, over all interns, whose time is over; some of them, if there are many. */
export async function endOverdueQuestions({ db, now }: { db: Db; now: Now }): Promise<void> {
  const rows = await db.query
    .selectFrom('intern_questions')
    .where('deadline_at', '<', now())
    .select('intern_id')
    .distinct()
    .limit(50)
    .execute()
  for (const { intern_id: internId } of rows)
    await db.exclusively(questionsOf(internId), (tx, announce) =>
      endQuestions(tx, announce, internId, { now, end: { state: 'ended' }, before: now() }),
    )
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
export async function forgetQuestion(
  { db, now }: { db: Db; now: Now },
  internId: string,
  id: string,
  end: QuestionEnd,
): Promise<void> {
  await db.exclusively(questionsOf(internId), (tx, announce) => endQuestions(tx, announce, internId, { now, end, id }))
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
