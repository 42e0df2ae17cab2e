import type { Caller } from '#identity/accounts/caller.ts'
import type { AskedQuestion, Field, Question } from '#interns/contract/question.ts'
import { findIntern, type Intern } from '#interns/registry/store.ts'
import { findQuestion } from '#interns/runs/questions.ts'
import { startChatTurn } from '#interns/turns/chat-turn.ts'
import { Fault } from '#platform/core/fault.ts'
import type { FormBody } from '#platform/http/request/form-body.ts'
import type { HttpAnswer } from '#platform/http/route.ts'
import {
  isInUse,
  type LinkedQuestion,
  linkedQuestion,
  readAnswerToken,
  restoreLink,
  useLink,
} from '#webhooks/answer-link.ts'
import type { ApiDeps } from '../access/deps.ts'
import { memberCaller } from '../access/member-caller.ts'
import { requireInterns } from '../access/require-interns.ts'
import { askedPage, saidPage } from '../pages/answer-page.ts'
import { requireRegion } from './intern-region.ts'

type Open = { linked: LinkedQuestion; intern: Intern; caller: Caller; asked: AskedQuestion }

/** The page behind a link: what is asked, or why it answers nothing now. To look at it changes nothing. */
export async function showLinked(deps: ApiDeps, token: string): Promise<HttpAnswer> {
  return orPage(async () => questionPage(deps, await openLink(deps, token)))
}

/** Gives the answer of the page's form; the run goes on in the background. */
export async function answerLinked(
  deps: ApiDeps,
  { token, form, host }: { token: string; form: FormBody; host: string | undefined },
): Promise<HttpAnswer> {
  return orPage(async () => {
    const open = await openLink(deps, token)
    const { linked, caller } = open
    await requireRegion(deps, caller, host)
    const answer = answerOf(open.asked.question, form)
    if (answer === undefined) return questionPage(deps, open, 'Choose one of the answers.')
    if (!(await useLink(deps, linked.deliveryId))) throw used
    try {
      await give(deps, open, answer)
    } catch (error) {
      await restoreLink(deps, linked.deliveryId)
      if (error instanceof Fault && error.kind === 'invalid') return questionPage(deps, open, error.message)
      throw error
    }
    return saidPage(
      200,
      'Answered',
      `The answer "${form.answer?.[0]}" was given to ${open.intern.name}, which goes on.`,
    )
  })
}

const used = new Fault('gone', 'This link has been used. It answers once.')

/** @throws Fault with a sentence for whoever follows the link. */
async function openLink(deps: ApiDeps, token: string): Promise<Open> {
  const { db, now, vault } = deps
  const said = readAnswerToken(vault, token)
  if (!said) throw new Fault('not_found', 'There is no such link. It may have been cut short on its way.')
  const linked = await linkedQuestion(deps, said.deliveryId)
  if (linked && isInUse(linked, now())) throw used
  const asked = linked && (await findQuestion({ db }, linked.internId, { ...linked, id: linked.questionId }))
  // It was used, and its question waits all the same: the server that took the answer died before it could give it.
  if (linked?.answeredAt != null && !asked) throw used
  if (now() >= said.until) throw new Fault('gone', 'This link has expired. What it was about was not answered by it.')
  if (!linked) throw new Fault('gone', 'This link answers no longer: its webhook was deleted, disabled or changed.')
  const caller = await nameOf(deps, linked)
  requireInterns(caller)
  const intern = await findIntern({ db }, caller, linked.internId)
  if (asked) return { linked, intern, caller, asked }
  throw new Fault('gone', 'This question waits no longer: it was answered elsewhere, or its turn has ended.')
}

/** Whoever made the webhook, as long as they belong to the organization and may answer. @throws Fault `forbidden` */
async function nameOf(deps: Pick<ApiDeps, 'db'>, linked: LinkedQuestion): Promise<Caller> {
  const caller = await memberCaller(deps, linked, 'answer link')
  if (caller) return caller
  throw new Fault('forbidden', 'Whoever made this link may no longer answer, so it does not either.')
}

async function questionPage(deps: ApiDeps, { intern, asked, linked }: Open, refused?: string): Promise<HttpAnswer> {
  const { question } = asked
  // Where the intern cannot be asked now, what it told before is shown, with a mark where it is not all.
  const whole = await deps.provisioner
    .runs(intern)
    .question(question.id)
    .catch(() => undefined)
  return askedPage({ internName: intern.name, question, whole, deadlineAt: linked.until, refused })
}

async function give(deps: ApiDeps, { linked, intern, caller }: Open, answer: string): Promise<void> {
  const { webhookId: webhook_id, deliveryId: delivery_id, sessionId, questionId } = linked
  const messages = [{ role: 'tool' as const, tool_call_id: questionId, content: answer }]
  const request = { messages, session_id: sessionId, background: true }
  const link = { webhook_id, delivery_id }
  const signal = new AbortController().signal
  const turn = await startChatTurn(deps.conversation, caller, { internId: intern.id, request, link }, signal)
  await turn.events.return?.()
}

/** The answer as a caller of the chat route would write it; undefined where the form says none. */
function answerOf(question: Question, form: FormBody): string | undefined {
  const word = form.answer?.[0]
  if (word === undefined) return undefined
  if (question.kind === 'permission') return word
  if (word !== 'accept') return JSON.stringify({ action: 'decline' })
  const filled = question.fields.flatMap((field) => {
    const value = sentValue(field, form[`field.${field.name}`] ?? [])
    return value === undefined ? [] : [[field.name, value] as const]
  })
  return JSON.stringify({ action: 'accept', content: Object.fromEntries(filled) })
}

/** A form has nothing but texts; what is no number stays a text, and is refused by name. */
function sentValue({ type }: Field, sent: string[]): unknown {
  const [text = ''] = sent
  if (type === 'array') return sent
  if (text === '') return undefined
  if (type === 'boolean') return text === 'true'
  if (type === 'string') return text
  const number = Number(text)
  return Number.isFinite(number) ? number : text
}

const titles: Partial<Record<Fault['kind'], [number, string]>> = {
  not_found: [404, 'No such link'],
  gone: [410, 'Too late'],
  conflict: [409, 'Too late'],
  forbidden: [403, 'Not allowed'],
}

/** What went wrong, as a page. */
async function orPage(make: () => Promise<HttpAnswer>): Promise<HttpAnswer> {
  try {
    return await make()
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    const [status, title] = titles[error.kind] ?? [503, 'Not now']
    return saidPage(status, title, error.message)
  }
}
