import type { Caller } from '#identity/accounts/caller.ts'
import { recordChange } from '#identity/audit/audit.ts'
import type { Now } from '#platform/core/clock.ts'
import type { NewId } from '#platform/core/id.ts'
import type { Db } from '#platform/db/db.ts'
import { escapeUnambiguously } from '#platform/text/printable.ts'
import { readPermissionAnswer } from '../contract/answer.ts'
import { type AnswerQuestion, pendingQuestionId } from '../contract/daemon-api.ts'
import { type AskedQuestion, type PermissionQuestion, permissionKinds, type Question } from '../contract/question.ts'
import { Refusal } from '../contract/refusal.ts'
import { storePastAnswer } from '../rules/past-questions.ts'
import { deleteQuestion, findQuestion, questionsLock } from './questions.ts'

export type ApprovalDeps = {
  db: Db
  now: Now
  newId: NewId
  /** Removes credentials from a text, and content that guardrails of the caller redact or block. */
  conceal: (caller: Caller, text: string) => Promise<string>
}

/** The maximum length of a question's text in the audit log, in characters. The caller saw the whole text. */
const maxTextLength = 2000

/** The webhook link through which a person answered without an API key. The caller is then the creator of that link. */
export type AnswerLink = { webhook_id: string; delivery_id: string }

type AnswerRequest = { caller: Caller; internId: string; answer: AnswerQuestion; link?: AnswerLink | undefined }

/**
 * Sends an answer to the intern, and records the answer in the audit log. If the question is stored and the answer can be
 * read, the record is written first, so that the intern does not act without a record. If the intern then refuses the answer,
 * a second record says so. Otherwise the record is written after the intern has accepted the answer. The values of a form are
 * not stored, only the names of its filled fields.
 */
export async function answerWithAudit<Reply>(
  deps: ApprovalDeps,
  { caller, internId, answer, link }: AnswerRequest,
  sendAnswer: (answer: AnswerQuestion) => Promise<Reply>,
): Promise<Reply> {
  const { sessionId } = answer
  const actor = link ? { ...caller, keyHash: null } : caller
  const id = answer.questionId === pendingQuestionId ? undefined : answer.questionId
  const pending = await findQuestion(deps, internId, { sessionId, id })
  const questionId = pending?.question.id ?? answer.questionId
  const answerRecord = parseAnswerRecord(pending?.question, answer.answer)
  const record = (action: 'intern.answered' | 'intern.answer_refused', after: object) =>
    deps.db.exclusively(questionsLock(internId), (tx) =>
      recordChange(deps, tx, actor, { action, targetKind: 'intern', targetId: internId, before: null, after }),
    )
  const details = {
    question_id: questionId,
    session_id: sessionId,
    ...(await describeQuestion(deps, caller, pending)),
    ...answerRecord,
    link,
  }
  // The intern refuses a text that is not an answer. Without a stored question, only the intern knows whether the text is an
  // answer.
  const isRecordedFirst = pending !== undefined && answerRecord !== undefined
  if (isRecordedFirst) await record('intern.answered', details)
  try {
    const reply = await sendAnswer({ sessionId, questionId, answer: answer.answer })
    if (!isRecordedFirst) await record('intern.answered', details)
    if (answerRecord)
      await storePastAnswer(deps, { internId, id: questionId }, { answer: answerRecord.answer, by: caller.userId })
    await deleteQuestion(deps, internId, questionId, { state: 'answered', answered_by: caller.userId })
    return reply
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    if (isRecordedFirst) await record('intern.answer_refused', { ...details, reason: error.message })
    if (endsQuestion(error)) await deleteQuestion(deps, internId, questionId, { state: 'ended' })
    throw error
  }
}

const endsQuestion = ({ kind }: Refusal) =>
  kind === 'interaction_not_pending' || kind === 'interaction_unknown' || kind === 'output_lost'

/** The answer without typed text; undefined if it is not an answer to the question. */
function parseAnswerRecord(question: Question | undefined, text: string): AnswerRecord | undefined {
  if (question?.kind === 'permission') return parsePermissionRecord(question, text)
  if (!question && (text === 'cancel' || permissionKinds.some((kind) => kind === text))) return { answer: text }
  const { action, content } = readObject(text)
  if (typeof action !== 'string' || !['accept', 'decline', 'cancel'].includes(action)) return undefined
  const names = question?.fields.map(({ name }) => name) ?? []
  const filled = action === 'accept' ? names.filter((name) => Object.hasOwn(Object(content), name)) : []
  return { answer: action, ...(filled.length > 0 && { fields: filled }) }
}

/** `option` is the id of the chosen option, if the answer named one. */
type AnswerRecord = { answer: string; option?: string; fields?: string[] }

function parsePermissionRecord(question: PermissionQuestion, text: string): AnswerRecord | undefined {
  try {
    const { answer, choice } = readPermissionAnswer(question, text)
    return { answer, ...(choice && choice.id !== answer && { option: choice.id }) }
  } catch {
    return undefined
  }
}

async function describeQuestion(deps: ApprovalDeps, caller: Caller, pending: AskedQuestion | undefined) {
  if (!pending) return { kind: null }
  const printableText = async (text: string | null) =>
    text === null ? null : shorten(escapeUnambiguously(await deps.conceal(caller, text)))
  const { question } = pending
  const { kind } = question
  if (kind === 'elicitation') return { kind, message: await printableText(question.message) }
  return { kind, operation: await printableText(question.operation), detail: await printableText(question.detail) }
}

function shorten(text: string): string {
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
