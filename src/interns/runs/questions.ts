import type { Caller } from '#identity/accounts/caller.ts'
import { dayMs, type Now } from '#platform/core/clock.ts'
import { Fault } from '#platform/core/fault.ts'
import type { Db, Query, Tx } from '#platform/db/db.ts'
import { sql } from '#platform/db/kysely.ts'
import { upsert } from '#platform/db/rows/upsert.ts'
import type { Publish } from '#platform/db/signals.ts'
import { queueEvent } from '#webhooks/outbox.ts'
import type { AskedQuestion, Question } from '../contract/question.ts'
import { type Action, agentNameOf } from '../contract/rules/rule.ts'
import { type QuestionEnd, questionEndedEvent, questionOpenedEvent } from '../registry/intern-events.ts'
import { findInternById, type Intern, selectVisibleInterns } from '../registry/intern-store.ts'
import { savePastQuestion } from '../rules/past-questions.ts'
import { questionAskedEvent } from './webhook-events.ts'

/** The longest time to a deadline. A later deadline from a daemon is shortened. */
const maxWaitMs = dayMs

/** `action` is the action of a permission, without secrets. */
type NewQuestion = Omit<AskedQuestion, 'askedAt'> & { action?: Action | undefined }

/** Stores a question before the caller receives it. */
export async function saveQuestion(
  { db, now }: { db: Db; now: Now },
  internId: string,
  question: NewQuestion,
): Promise<void> {
  await db.exclusively(questionsLock(internId), (tx, publish) =>
    storeQuestion(tx, publish, internId, { now, question }),
  )
}

/** Stores a new question, and deletes expired ones of the intern. */
export async function storeQuestion(
  tx: Tx,
  publish: Publish,
  internId: string,
  {
    now,
    question: { question, sessionId, deadlineAt: requestedDeadline, action },
  }: { now: Now; question: NewQuestion },
): Promise<void> {
  const newQuestion = {
    question,
    sessionId,
    askedAt: now(),
    deadlineAt: Math.min(Math.round(requestedDeadline), now() + maxWaitMs),
  }
  await endQuestions(tx, publish, internId, { now, end: { state: 'ended' }, before: now() })
  const stored = await findQuestion({ db: { query: tx } }, internId, { sessionId, id: question.id })
  if (stored && stored.deadlineAt >= newQuestion.deadlineAt) return
  const row = { session_id: sessionId, question: JSON.stringify(question), asked_at: newQuestion.askedAt }
  const questionRow = { intern_id: internId, id: question.id, ...row, deadline_at: newQuestion.deadlineAt }
  await upsert(tx, 'intern_questions', [questionRow], { key: ['intern_id', 'id'] }).execute()
  const intern = await findInternById(tx, internId)
  if (!intern) return
  publish('intern.asked', internId, questionOpenedEvent(intern, newQuestion, now()))
  await queueEvent(tx, publish, questionAskedEvent(intern, newQuestion))
  const pastQuestion = { internId, id: question.id, agent: agentNameOf(intern.agent), askedAt: newQuestion.askedAt }
  if (action) await savePastQuestion(tx, { now }, intern.workspaceId, { ...pastQuestion, action })
}

/** The name of the lock for changes of an intern's questions. */
export const questionsLock = (internId: string) => `questions of ${internId}`

type EndQuestionsOptions = { now: Now; end: QuestionEnd; id?: string; before?: number }

/**
 * Deletes questions of an intern, and announces their end: the question `id`, or the questions with a deadline before `before`
 * (milliseconds since the epoch), or without both all questions.
 */
export async function endQuestions(
  tx: Tx,
  publish: Publish,
  internId: string,
  { now, end, id, before }: EndQuestionsOptions,
): Promise<void> {
  const endedQuestions = await tx
    .deleteFrom('intern_questions')
    .where('intern_id', '=', internId)
    .$if(id !== undefined, (rows) => rows.where('id', '=', id!))
    .$if(before !== undefined, (rows) => rows.where('deadline_at', '<', before!))
    .returning(['id', 'session_id'])
    .execute()
  const intern = endedQuestions.length > 0 ? await findInternById(tx, internId) : undefined
  if (!intern) return
  for (const { id, session_id: sessionId } of endedQuestions)
    publish('intern.asked', internId, questionEndedEvent(intern, { id, sessionId }, now(), end))
}

/** Bounds the time of one call. The next call ends the rest. */
const maxInternsAtOnce = 50

/** Ends expired questions of up to `maxInternsAtOnce` interns. */
export async function endOverdueQuestions({ db, now }: { db: Db; now: Now }): Promise<void> {
  const rows = await db.query
    .selectFrom('intern_questions')
    .where('deadline_at', '<', now())
    .select('intern_id')
    .distinct()
    .limit(maxInternsAtOnce)
    .execute()
  for (const { intern_id: internId } of rows)
    await db.exclusively(questionsLock(internId), (tx, publish) =>
      endQuestions(tx, publish, internId, { now, end: { state: 'ended' }, before: now() }),
    )
}

/** Finds a question of a session by its id, or the latest one. */
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
  return row && toAskedQuestion(row)
}

/** The questions before their deadline, the oldest first. Their runs can have ended. */
export async function findOpenQuestions(
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
  return rows.map(toAskedQuestion)
}

/** A pending question with its intern. */
export type WaitingQuestion = AskedQuestion & { intern: Pick<Intern, 'id' | 'name' | 'workspaceId' | 'creatorUserId'> }

/**
 * The pending questions of running interns that are visible to the caller, sorted by deadline.
 * @param page.startingAfter a `toWaitingCursor`, also of a question that was answered meanwhile.
 * @throws Fault `invalid` for an invalid cursor.
 */
export async function listWaitingQuestions(
  { db, now }: { db: { query: Query }; now: Now },
  caller: Pick<Caller, 'workspaceId' | 'userId'>,
  { limit, startingAfter }: { limit: number; startingAfter?: string | undefined },
): Promise<{ questions: WaitingQuestion[]; hasMore: boolean }> {
  const after = startingAfter === undefined ? undefined : readCursor(startingAfter)
  const rows = await selectVisibleInterns({ db }, caller)
    .where('status', '=', 'running')
    .innerJoin('intern_questions as question', 'question.intern_id', 'interns.id')
    .where('question.deadline_at', '>', now())
    .$if(after !== undefined, (all) =>
      all.where(sql<boolean>`(question.deadline_at, question.id) > (${after!.deadlineAt}, ${after!.id})`),
    )
    .orderBy('question.deadline_at')
    .orderBy('question.id')
    .limit(limit + 1)
    .select(['interns.id as intern_id', 'name', 'workspace_id', 'creator_user_id'])
    .select(['question.session_id', 'question.question', 'question.asked_at', 'question.deadline_at'])
    .execute()
  const questions = rows.slice(0, limit).map((row) => ({
    ...toAskedQuestion(row),
    intern: {
      id: row.intern_id,
      name: row.name,
      workspaceId: row.workspace_id,
      creatorUserId: row.creator_user_id,
    },
  }))
  return { questions, hasMore: rows.length > limit }
}

/** The position of a question in the sorted list. */
export const toWaitingCursor = ({ deadlineAt, question }: AskedQuestion) =>
  Buffer.from(`${deadlineAt} ${question.id}`).toString('base64url')

function readCursor(cursor: string): { deadlineAt: number; id: string } {
  const [, deadlineAt, id] = /^(\d{1,15}) (.{1,512})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (deadlineAt && id) return { deadlineAt: Number(deadlineAt), id }
  throw new Fault('invalid', 'Invalid request: starting_after: must be the next_cursor of the page before')
}

/** Deletes a question that was answered, or can no longer be answered. */
export async function deleteQuestion(
  { db, now }: { db: Db; now: Now },
  internId: string,
  id: string,
  end: QuestionEnd,
): Promise<void> {
  await db.exclusively(questionsLock(internId), (tx, publish) => endQuestions(tx, publish, internId, { now, end, id }))
}

type QuestionsRow = { session_id: string; question: string; asked_at: number; deadline_at: number }

function toAskedQuestion({ session_id, question, asked_at, deadline_at }: QuestionsRow): AskedQuestion {
  return {
    question: JSON.parse(question) as Question,
    sessionId: session_id,
    askedAt: asked_at,
    deadlineAt: deadline_at,
  }
}
