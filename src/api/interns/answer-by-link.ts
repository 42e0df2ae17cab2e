import type { Caller } from '#identity/accounts/caller.ts'
import type { AskedQuestion, Field, Question } from '#interns/contract/question.ts'
import { findIntern, type Intern } from '#interns/registry/intern-store.ts'
import { findQuestion } from '#interns/runs/questions.ts'
import { startChatTurn } from '#interns/turns/chat-turn.ts'
import { Fault } from '#platform/core/fault.ts'
import type { FormBody } from '#platform/http/request/form-body.ts'
import { retryAfterHeader } from '#platform/http/response/envelope.ts'
import { faultStatus } from '#platform/http/response/faults.ts'
import type { HttpResponse } from '#platform/http/route.ts'
import {
  claimLink,
  findLinkedQuestion,
  isLinkInUse,
  type LinkedQuestion,
  readAnswerToken,
  restoreLink,
} from '#webhooks/answer-link.ts'
import type { ApiDeps } from '../access/deps.ts'
import { memberCaller } from '../access/member-caller.ts'
import { requireInterns } from '../access/require-interns.ts'
import { messagePage, questionPage } from '../pages/answer-page.ts'
import { requireRegion } from './intern-region.ts'

type OpenLink = { linked: LinkedQuestion; intern: Intern; caller: Caller; openQuestion: AskedQuestion }

/** The page of an answer link: the question, or why it cannot be answered. Opening it has no effect. */
export async function showQuestionPage(deps: ApiDeps, token: string, host: string | undefined): Promise<HttpResponse> {
  return withErrorPage(async () => {
    const link = await openLink(deps, token)
    await requireRegion(deps, link.caller, host)
    return renderQuestionPage(deps, link)
  })
}

/** Sends the answer of the page's form. The run continues in the background. */
export async function submitQuestionForm(
  deps: ApiDeps,
  { token, form, host }: { token: string; form: FormBody; host: string | undefined },
): Promise<HttpResponse> {
  return withErrorPage(async () => {
    const link = await openLink(deps, token)
    const { linked, caller } = link
    await requireRegion(deps, caller, host)
    const answer = readFormAnswer(link.openQuestion.question, form)
    if (answer === undefined) return renderQuestionPage(deps, link, 'Choose one of the answers.')
    if (!(await claimLink(deps, linked.deliveryId))) throw linkUsedFault
    try {
      await sendResponse(deps, link, answer)
    } catch (error) {
      await restoreLink(deps, linked.deliveryId)
      if (error instanceof Fault && error.kind === 'invalid') return renderQuestionPage(deps, link, error.message)
      throw error
    }
    const text = `The answer "${form.answer?.[0]}" was sent to ${link.intern.name}, which continues.`
    return messagePage(200, { title: 'Answered', text })
  })
}

const linkUsedFault = new Fault('gone', 'This link has been used. It answers once.')

/** @throws Fault whose message is displayed on the page. */
async function openLink(deps: ApiDeps, token: string): Promise<OpenLink> {
  const { db, now, vault } = deps
  const tokenContent = readAnswerToken(vault, token)
  if (!tokenContent) throw new Fault('not_found', 'This link is invalid. It may be incomplete.')
  const linked = await findLinkedQuestion(deps, tokenContent.deliveryId)
  if (linked && isLinkInUse(linked, now())) throw linkUsedFault
  const openQuestion = linked && (await findQuestion({ db }, linked.internId, { ...linked, id: linked.questionId }))
  // A used link works again while its question is open: the server that accepted the answer died before it delivered it.
  if (linked?.answeredAt != null && !openQuestion) throw linkUsedFault
  if (now() >= tokenContent.until)
    throw new Fault('gone', 'This link has expired. The question was not answered with it.')
  if (!linked) throw new Fault('gone', 'This link is no longer valid: its webhook was deleted, disabled or changed.')
  const caller = await findLinkCaller(deps, linked)
  requireInterns(caller)
  const intern = await findIntern({ db }, caller, linked.internId)
  if (openQuestion) return { linked, intern, caller, openQuestion }
  throw new Fault('gone', 'This question is no longer open: it was already answered, or its turn has ended.')
}

/** The creator of the webhook as caller. @throws Fault `forbidden` if they left the organization or lost permission. */
async function findLinkCaller(deps: Pick<ApiDeps, 'db'>, linked: LinkedQuestion): Promise<Caller> {
  const caller = await memberCaller(deps, linked, 'answer link')
  if (caller) return caller
  throw new Fault('forbidden', 'The creator of this link no longer has permission to answer.')
}

/** The page of a question waits at most this time for all details of a permission. */
const permissionTimeoutMs = 10_000

async function renderQuestionPage(
  deps: ApiDeps,
  { intern, openQuestion, linked }: OpenLink,
  previousError?: string,
): Promise<HttpResponse> {
  const { question } = openQuestion
  // If the intern is unreachable, the stored question is displayed and marked if it is incomplete.
  const permission = await deps.provisioner
    .runsOf(intern)
    .question(question.id, AbortSignal.timeout(permissionTimeoutMs))
    .catch(() => undefined)
  return questionPage({
    internName: intern.name,
    question,
    details: permission,
    deadlineAt: linked.until,
    previousError,
  })
}

async function sendResponse(deps: ApiDeps, { linked, intern, caller }: OpenLink, answer: string): Promise<void> {
  const { webhookId: webhook_id, deliveryId: delivery_id, sessionId, questionId } = linked
  const messages = [{ role: 'tool' as const, tool_call_id: questionId, content: answer }]
  const request = { messages, session_id: sessionId, background: true }
  const link = { webhook_id, delivery_id }
  // It never aborts: the run continues after this request.
  const signal = new AbortController().signal
  const turn = await startChatTurn(deps.chatTurnDeps, caller, { internId: intern.id, request, link }, signal)
  // Leaves the reply: nobody reads it, and the run continues in the background.
  await turn.events.return?.()
}

/** The answer in the format of the chat route; undefined if the form has none. */
function readFormAnswer(question: Question, form: FormBody): string | undefined {
  const choice = form.answer?.[0]
  if (choice === undefined) return undefined
  if (question.kind === 'permission') return choice
  if (choice !== 'accept') return JSON.stringify({ action: 'decline' })
  const filledFields = question.fields.flatMap((field) => {
    const value = toFieldValue(field, form[`field.${field.name}`] ?? [])
    return value === undefined ? [] : [[field.name, value] as const]
  })
  return JSON.stringify({ action: 'accept', content: Object.fromEntries(filledFields) })
}

/** Converts form text to the type of the field. An invalid number stays text, and the route rejects it by field name. */
function toFieldValue({ type }: Field, texts: string[]): unknown {
  const [text = ''] = texts
  if (type === 'array') return texts
  if (text === '') return undefined
  if (type === 'boolean') return text === 'true'
  if (type === 'string') return text
  const number = Number(text)
  return Number.isFinite(number) ? number : text
}

/** The titles of refusals that another attempt cannot change. */
const errorTitles: Partial<Record<Fault['kind'], string>> = {
  not_found: 'No such link',
  gone: 'Too late',
  conflict: 'Too late',
  forbidden: 'Not allowed',
}

/** Converts faults to a page. */
async function withErrorPage(makePage: () => Promise<HttpResponse>): Promise<HttpResponse> {
  try {
    return await makePage()
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    const isRetryable = error.details.metadata?.retryable === true
    const title = isRetryable ? 'Not now' : (errorTitles[error.kind] ?? 'Not now')
    return messagePage(faultStatus[error.kind], { title, text: error.message }, retryAfterHeader(error))
  }
}
