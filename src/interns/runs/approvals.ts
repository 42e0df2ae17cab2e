import type { Caller } from '#identity/accounts/caller.ts'
import { recordChange } from '#identity/audit/audit.ts'
import type { Now } from '#platform/core/clock.ts'
import type { NewId } from '#platform/core/id.ts'
import type { Db } from '#platform/db/db.ts'
import { printableExactly } from '#platform/text/printable.ts'
import { readPermissionAnswer } from '../contract/answer.ts'
import { type AskedQuestion, type PermissionQuestion, permissionKinds, type Question } from '../contract/question.ts'
import { Refusal } from '../contract/refusal.ts'
import { type AnswerQuestion, pendingQuestion } from '../contract/runs.ts'
import { answerPastQuestion } from '../rules/past-questions.ts'
import { findQuestion, forgetQuestion, questionsOf } from './questions.ts'

export type ApprovalDeps = {
  db: Db
  now: Now
  newId: NewId
  /** A text as it may be kept: without what the guardrails of this caller redact or block, and without credentials. */
  conceal: (caller: Caller, text: string) => Promise<string>
}

/** In characters; who consented saw the whole. */
const maxTextLength = 2000

/** By which link an answer came: then there is no key, and its caller is whoever made the link. */
export type AnswerLink = { webhook_id: string; delivery_id: string }

type Answering = { caller: Caller; internId: string; answer: AnswerQuestion; link?: AnswerLink | undefined }

/**
 * Gives an answer to the intern, and records in the audit trail who answered which question. The record is written
 * first, so that nothing is allowed without one. If the intern then refuses the answer, a second record says so. The
 * text typed into a form is not kept, only the names of the fields that were filled in. In `self-drive` nobody answers,
 * so nothing is recorded.
 */
export async function answering<Reply>(
  deps: ApprovalDeps,
  { caller, internId, answer, link }: Answering,
  give: (answer: AnswerQuestion) => Promise<Reply>,
): Promise<Reply> {
  const { sessionId } = answer
  const actor = link ? { ...caller, keyHash: null } : caller
  const id = answer.questionId === pendingQuestion ? undefined : answer.questionId
  const asked = await findQuestion(deps, internId, { sessionId, id })
  const questionId = asked?.question.id ?? answer.questionId
  const said = answerText(asked?.question, answer.answer)
  const record = (action: 'intern.answered' | 'intern.answer_refused', after: object) =>
    deps.db.exclusively(questionsOf(internId), (tx) =>
      recordChange(deps, tx, actor, { action, targetKind: 'intern', targetId: internId, before: null, after }),
    )
  const told = {
    question_id: questionId,
    session_id: sessionId,
    ...(await questionText(deps, caller, asked)),
    ...said,
    ...(link && { link }),
  }
  // The intern refuses a text that is not an answer, so there is nothing to record.
  if (asked && said) await record('intern.answered', told)
  try {
    const reply = await give({ sessionId, questionId, answer: answer.answer })
    // One that was asked while this was not kept: what it was about is not known here.
    if (!(asked && said)) await record('intern.answered', told)
    if (said) await answerPastQuestion(deps, { internId, id: questionId }, { answer: said.answer, by: caller.userId })
    await forgetQuestion(deps, internId, questionId, { state: 'answered', answered_by: caller.userId })
    return reply
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    if (asked && said) await record('intern.answer_refused', { ...told, reason: error.message })
    if (isOver(error)) await forgetQuestion(deps, internId, questionId, { state: 'ended' })
    throw error
  }
}

const isOver = ({ kind }: Refusal) =>
  kind === 'interaction_not_pending' || kind === 'interaction_unknown' || kind === 'output_lost'

/** The answer without typed text; undefined if it is not an answer to the question. */
function answerText(question: Question | undefined, text: string): AnswerText | undefined {
  if (question?.kind === 'permission') return permissionText(question, text)
  if (!question && (text === 'cancel' || permissionKinds.some((kind) => kind === text))) return { answer: text }
  const { action, content } = readObject(text)
  if (typeof action !== 'string' || !['accept', 'decline', 'cancel'].includes(action)) return undefined
  const known = question?.fields.map(({ name }) => name) ?? []
  const filled = action === 'accept' ? known.filter((name) => name in Object(content)) : []
  return { answer: action, ...(filled.length > 0 && { fields: filled }) }
}

/** `option` is the id of the option that was chosen, where it was named. */
type AnswerText = { answer: string; option?: string; fields?: string[] }

function permissionText(question: PermissionQuestion, text: string): AnswerText | undefined {
  try {
    const { answer, choice } = readPermissionAnswer(question, text)
    return { answer, ...(choice && choice.id !== answer && { option: choice.id }) }
  } catch {
    return undefined
  }
}

async function questionText(deps: ApprovalDeps, caller: Caller, asked: AskedQuestion | undefined) {
  if (!asked) return { kind: null }
  const tell = async (text: string | null) =>
    text === null ? null : cut(printableExactly(await deps.conceal(caller, text)))
  const { question } = asked
  const { kind } = question
  if (kind === 'elicitation') return { kind, message: await tell(question.message) }
  return { kind, operation: await tell(question.operation), detail: await tell(question.detail) }
}

function cut(text: string): string {
  const characters = [...text]
  return characters.length > maxTextLength ? `${characters.slice(0, maxTextLength).join('')}…` : text
}

function readObject(text: string): { action?: unknown; content?: unknown } {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}
