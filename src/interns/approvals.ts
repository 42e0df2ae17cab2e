import type { Caller } from '#accounts/caller.ts'
import { recordChange } from '#audit/audit.ts'
import type { Db } from '#db/db.ts'
import type { Now } from '#lib/clock.ts'
import type { NewId } from '#lib/id.ts'
import { printableExactly } from '#lib/printable.ts'
import { permissionKinds, type Question } from './question.ts'
import { type AskedQuestion, findQuestion, forgetQuestion } from './questions.ts'
import { Refusal } from './refusal.ts'
import { type AnswerQuestion, pendingQuestion } from './runs.ts'

export type ApprovalDeps = {
  db: Db
  now: Now
  newId: NewId
  /** A text as it may be kept: without what the guardrails of this caller redact or block, and without credentials. */
  conceal: (caller: Caller, text: string) => Promise<string>
}

/** In characters; who consented saw the whole. */
const maxTextLength = 2000

type Answering = { caller: Caller; internId: string; answer: AnswerQuestion }

/**
 * Has an answer given, and writes down in the audit trail who gave it to what. It is written before it is given, so that
 * nothing is allowed without a record; one that the intern then does not take is told of as well. What was typed into a
 * form is not kept, only which fields were filled in. Nobody answers in `self-drive`, so nothing is written of that.
 */
export async function answering<Reply>(
  deps: ApprovalDeps,
  { caller, internId, answer }: Answering,
  give: (answer: AnswerQuestion) => Promise<Reply>,
): Promise<Reply> {
  const { sessionId } = answer
  const id = answer.questionId === pendingQuestion ? undefined : answer.questionId
  const asked = await findQuestion(deps, internId, { sessionId, id })
  const questionId = asked?.question.id ?? answer.questionId
  const said = answerText(asked?.question, answer.answer)
  const record = (action: 'intern.answered' | 'intern.answer_refused', after: object) =>
    deps.db.exclusively(`questions of ${internId}`, (tx) =>
      recordChange(deps, tx, caller, { action, targetKind: 'intern', targetId: internId, before: null, after }),
    )
  const told = { question_id: questionId, session_id: sessionId, ...(await questionText(deps, caller, asked)), ...said }
  // What answers nothing is refused by the intern, and no answer.
  if (asked && said) await record('intern.answered', told)
  try {
    const reply = await give({ sessionId, questionId, answer: answer.answer })
    // One that was asked while this was not kept: what it was about is not known here.
    if (!(asked && said)) await record('intern.answered', told)
    await forgetQuestion(deps.db, internId, questionId)
    return reply
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    if (asked && said) await record('intern.answer_refused', { ...told, reason: error.message })
    if (isOver(error)) await forgetQuestion(deps.db, internId, questionId)
    throw error
  }
}

const isOver = ({ kind }: Refusal) =>
  kind === 'interaction_not_pending' || kind === 'interaction_unknown' || kind === 'output_lost'

/** What was said, without what was typed; undefined where it is no answer to the question. */
function answerText(question: Question | undefined, text: string): { answer: string; fields?: string[] } | undefined {
  const word = text.trim()
  const words: readonly string[] = question?.kind === 'permission' ? question.options : permissionKinds
  if (question?.kind !== 'elicitation' && (word === 'cancel' || words.includes(word))) return { answer: word }
  if (question?.kind === 'permission') return undefined
  const { action, content } = readObject(text)
  if (typeof action !== 'string' || !['accept', 'decline', 'cancel'].includes(action)) return undefined
  const known = question?.fields.map(({ name }) => name) ?? []
  const filled = action === 'accept' ? known.filter((name) => name in Object(content)) : []
  return { answer: action, ...(filled.length > 0 && { fields: filled }) }
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
