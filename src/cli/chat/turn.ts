import { UserFacingError } from '#platform/core/fault.ts'
import { type ApiClient, ServiceError } from '../kit/api-client.ts'
import { askUser, cancelAnswer } from './ask-user.ts'
import type { AgentQuestion, ChatOutput, Conversation } from './conversation.ts'
import type { Display } from './display.ts'
import type { Keyboard } from './keyboard.ts'
import { fetchOpenQuestion } from './open-question.ts'
import { answerWhileOpen } from './question-watch.ts'

export type ChatContext = {
  client: ApiClient
  intern: string
  chat: Conversation
  keyboard: Keyboard
  display: Display
}

/** The time limit for reporting to the intern that nobody answers. */
const cancelTimeoutMs = 5000

/** Sends a prompt, and asks the user the questions of the intern. An open question of the session is answered first. */
export async function sendPrompt(context: ChatContext, text: string): Promise<'left' | 'done'> {
  const { chat, display } = context
  const result = await printTurn(context, (signal) => chat.prompt(text, signal))
  if (result.errorStatus !== 409) return answerQuestions(context, result)
  const openQuestion = await findOpenQuestion(context)
  if (!openQuestion) return 'done'
  display.line('Answer the open question first. Your prompt is sent after it.')
  if ((await answerQuestions(context, { question: openQuestion })) === 'left') return 'left'
  return answerQuestions(context, await printTurn(context, (signal) => chat.prompt(text, signal)))
}

/** Asks the user the open question of the session, if there is one. */
export async function answerOpenQuestion(context: ChatContext): Promise<'left' | 'done'> {
  const question = await findOpenQuestion(context)
  return question ? answerQuestions(context, { question }) : 'done'
}

async function findOpenQuestion({ client, intern, chat }: ChatContext): Promise<AgentQuestion | undefined> {
  const session = chat.session()
  return session === undefined ? undefined : fetchOpenQuestion(client, intern, session)
}

/** Asks the user each question with which a turn ends, until a turn ends without one. */
async function answerQuestions(context: ChatContext, first: TurnResult): Promise<'left' | 'done'> {
  let result = first
  while (result.question) {
    const question: AgentQuestion = result.question
    const outcome = await askWhileOpen(context, question)
    if ('reason' in outcome) context.display.line(outcome.reason)
    if ('reason' in outcome && !outcome.isWithdrawn) return 'done'
    // The answer to a withdrawn question is not used: sending it only shows the rest of the reply.
    const answer = 'reason' in outcome ? cancelAnswer(question) : outcome.answer
    if (answer === undefined) {
      await cancelQuestion(context, question)
      return 'left'
    }
    const nextResult = await printTurn(context, (signal) => context.chat.answer(question, answer, signal))
    // The service rejected the answer as invalid: the question is still open.
    result = nextResult.errorStatus === 400 ? { question } : nextResult
  }
  return result.isLeaving ? 'left' : 'done'
}

function askWhileOpen(context: ChatContext, question: AgentQuestion) {
  const { client, intern, chat } = context
  const location = { client, intern, sessionId: chat.session() ?? '', questionId: question.id }
  return answerWhileOpen(location, (signal) => askUser(question, { ...context, signal }))
}

/** Cancels a question when the user leaves. An open question would block the session until it expires. */
async function cancelQuestion({ chat }: ChatContext, question: AgentQuestion): Promise<void> {
  const endController = new AbortController()
  try {
    const signal = AbortSignal.any([endController.signal, AbortSignal.timeout(cancelTimeoutMs)])
    for await (const _ of chat.answer(question, cancelAnswer(question), signal)) break
  } catch {
    // The question expires later.
  }
  endController.abort()
}

type TurnResult = {
  /** The question with which the turn ended. */
  question?: AgentQuestion | undefined
  /** The HTTP status of an error of the service. */
  errorStatus?: number | undefined
  /** Whether Ctrl-C was pressed twice. */
  isLeaving?: boolean
}

/** Prints the output of a turn until it ends or the user stops it with Ctrl-C. */
async function printTurn(
  { keyboard, display }: ChatContext,
  startTurn: (signal: AbortSignal) => AsyncIterable<ChatOutput>,
): Promise<TurnResult> {
  const stopController = new AbortController()
  const result: TurnResult = {}
  const removeInterrupt = keyboard.onInterrupt(() => {
    result.isLeaving = stopController.signal.aborted
    stopController.abort()
  })
  const stopProgress = display.working()
  try {
    for await (const output of startTurn(stopController.signal)) {
      if (output.type === 'question') result.question = output.question
      else display.output(output)
    }
  } catch (error) {
    if (stopController.signal.aborted) display.stopped()
    else if (!(error instanceof UserFacingError)) throw error
    else display.error(error.message)
    if (error instanceof ServiceError) result.errorStatus = error.status
  } finally {
    removeInterrupt()
    stopProgress()
  }
  if (!result.question) display.line('')
  return result
}
