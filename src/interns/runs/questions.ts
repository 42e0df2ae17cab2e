import type { Caller } from '#identity/accounts/caller.ts'
import type { Now } from '#platform/core/clock.ts'
import { Fault } from '#platform/core/fault.ts'
import type { Db, Query, Tx } from '#platform/db/db.ts'
import { sql } from '#platform/db/kysely.ts'
import { upsert } from '#platform/db/rows/upsert.ts'
import type { Announce } from '#platform/db/signals.ts'
import { queueEvent } from '#webhooks/outbox.ts'
import type { AskedQuestion, Question } from '../contract/question.ts'
import { type Action, agentNameOf } from '../contract/rules/rule.ts'
import { type QuestionEnd, questionAsked, questionOver } from '../registry/events.ts'
import { type Intern, internById, visibleTo } from '../registry/store.ts'
import { savePastQuestion } from '../rules/past-questions.ts'
import { questionAskedEvent } from './webhook-events.ts'

/** No question waits longer, whatever a daemon says. */
const longestMs = 86_400_000

/** `action` is what a permission is about, as it may be kept. */
type NewQuestion = Omit<AskedQuestion, 'askedAt'> & { action?: Action | undefined }

/** Kept before the caller hears of it. */
export async function saveQuestion(
  { db, now }: { db: Db; now: Now },
  internId: string,
  question: NewQuestion,
): Promise<void> {
  await db.exclusively(questionsOf(internId), (tx, announce) => keepQuestion(tx, announce, internId, { now, question }))
}

/** Keeps a question, if it is not known yet. Those whose time is over are forgotten with it: nobody can answer them. */
export async function keepQuestion(
  tx: Tx,
  announce: Announce,
  internId: string,
  { now, question: { question, sessionId, deadlineAt: wanted, action } }: { now: Now; question: NewQuestion },
): Promise<void> {
  const asked = { question, sessionId, askedAt: now(), deadlineAt: Math.min(Math.round(wanted), now() + longestMs) }
  await endQuestions(tx, announce, internId, { now, end: { state: 'ended' }, before: now() })
  const known = await findQuestion({ db: { query: tx } }, internId, { sessionId, id: question.id })
  if (known && known.deadlineAt >= asked.deadlineAt) return
  const row = { session_id: sessionId, question: JSON.stringify(question), asked_at: asked.askedAt }
  const questionRow = { intern_id: internId, id: question.id, ...row, deadline_at: asked.deadlineAt }
  await upsert(tx, 'intern_questions', [questionRow], { key: ['intern_id', 'id'] }).execute()
  const intern = await internById(tx, internId)
  if (!intern) return
  announce('intern.asked', internId, questionAsked(intern, asked, now()))
  await queueEvent(tx, announce, questionAskedEvent(intern, asked))
  const past = { internId, id: question.id, agent: agentNameOf(intern.agent), askedAt: asked.askedAt }
  if (action) await savePastQuestion(tx, { now }, intern.workspaceId, { ...past, action })
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

/** A question that waits, and whose it is. */
export type WaitingQuestion = AskedQuestion & { intern: Pick<Intern, 'id' | 'name' | 'workspaceId' | 'creatorUserId'> }

/**
 * Those of all running interns that the caller sees and may answer: whose time is over first comes first.
 * @param page.startingAfter a `waitingCursor`; its question may have been answered meanwhile.
 * @throws Fault `invalid` for a cursor that is none.
 */
export async function waitingQuestions(
  { db, now }: { db: { query: Query }; now: Now },
  caller: Pick<Caller, 'workspaceId' | 'userId'>,
  { limit, startingAfter }: { limit: number; startingAfter?: string | undefined },
): Promise<{ questions: WaitingQuestion[]; hasMore: boolean }> {
  const after = startingAfter === undefined ? undefined : readCursor(startingAfter)
  const rows = await visibleTo({ db }, caller)
    .where('status', '=', 'running')
    .innerJoin('intern_questions as asked', 'asked.intern_id', 'interns.id')
    .where('asked.deadline_at', '>', now())
    .$if(after !== undefined, (all) =>
      all.where(sql<boolean>`(asked.deadline_at, asked.id) > (${after![0]}, ${after![1]})`),
    )
    .orderBy('asked.deadline_at')
    .orderBy('asked.id')
    .limit(limit + 1)
    .select(['interns.id as intern_id', 'name', 'workspace_id', 'creator_user_id'])
    .select(['asked.session_id', 'asked.question', 'asked.asked_at', 'asked.deadline_at'])
    .execute()
  const questions = rows.slice(0, limit).map((row) => ({
    ...askedOf(row),
    intern: {
      id: row.intern_id,
      name: row.name,
      workspaceId: row.workspace_id,
      creatorUserId: row.creator_user_id,
    },
  }))
  return { questions, hasMore: rows.length > limit }
}

/** The place of a question among all that wait. */
export const waitingCursor = ({ deadlineAt, question }: AskedQuestion) =>
  Buffer.from(`${deadlineAt} ${question.id}`).toString('base64url')

function readCursor(cursor: string): [deadlineAt: number, id: string] {
  const [, deadlineAt, id] = /^(\d{1,15}) (\S{1,200})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (deadlineAt && id) return [Number(deadlineAt), id]
  throw new Fault('invalid', 'Invalid request: starting_after: must be the next_cursor of the page before')
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
