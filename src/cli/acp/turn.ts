import { type PromptResponse, RequestError } from '@agentclientprotocol/sdk'
import type { ActivityItem } from '#interns/contract/activity-item.ts'
import { cancelAnswer } from '../chat/ask-user.ts'
import type { AgentQuestion, ChatOutput, Conversation, PromptContent } from '../chat/conversation.ts'
import { fetchOpenQuestion } from '../chat/open-question.ts'
import { answerWhileOpen } from '../chat/question-watch.ts'
import { ServiceError } from '../kit/api-client.ts'
import { askEditor, type EditorDeps } from './ask-editor.ts'
import { activityUpdate, textContent } from './updates.ts'

type TurnDeps = EditorDeps & { chat: Conversation }

const cancelledResponse: PromptResponse = { stopReason: 'cancelled' }

/** The time limit for reporting to the intern that nobody answers. */
const cancelTimeoutMs = 5000

/**
 * Runs a prompt, and forwards the questions of the intern until it is done. If the session has an open question, possibly
 * from a client that disconnected, that is answered first.
 */
export async function runTurn(deps: TurnDeps, content: PromptContent): Promise<PromptResponse> {
  const { chat, signal } = deps
  try {
    try {
      await relayAll(deps, chat.prompt(content, signal))
    } catch (error) {
      const openQuestion =
        error instanceof ServiceError && error.status === 409 ? await findOpenQuestion(deps) : undefined
      if (!openQuestion) throw error
      await answerAndRelay(deps, openQuestion)
      await relayAll(deps, chat.prompt(content, signal))
    }
    return { stopReason: 'end_turn' }
  } catch (error) {
    if (signal.aborted) return cancelledResponse
    throw error
  }
}

/** An internal error of JSON-RPC, whose message the editor displays. */
export const displayedError = (message: string) => new RequestError(-32603, message)

const findOpenQuestion = ({ client, intern, sessionId }: TurnDeps) => fetchOpenQuestion(client, intern, sessionId)

/** Forwards the output of the intern to the editor, including questions and the turns after them. */
async function relayAll(deps: TurnDeps, outputs: AsyncIterable<ChatOutput>): Promise<void> {
  const question = await relayOutput(deps, outputs)
  if (question) await answerAndRelay(deps, question)
}

async function answerAndRelay(deps: TurnDeps, first: AgentQuestion): Promise<void> {
  let question: AgentQuestion | undefined = first
  while (question) {
    const result = await askForAnswer(deps, question)
    if ('reason' in result) {
      await sendText(deps, `\n\n(${result.reason})\n\n`)
      if (!result.isWithdrawn) return
    }
    // The answer to a withdrawn question is not used: sending it only returns the rest of the reply.
    const answer = 'reason' in result ? cancelAnswer(question) : result.answer
    question = await relayOutput(deps, deps.chat.answer(question, answer, deps.signal))
  }
}

const sendText = ({ editor, sessionId }: TurnDeps, text: string) =>
  editor.notify('session/update', {
    sessionId,
    update: { sessionUpdate: 'agent_message_chunk', content: textContent(text) },
  })

/** @returns the question with which the output ends, if any */
async function relayOutput({ editor, sessionId }: TurnDeps, outputs: AsyncIterable<ChatOutput>) {
  const reportedCalls = new Set<string>()
  let question: AgentQuestion | undefined
  for await (const output of outputs) {
    if (output.type === 'question') question = output.question
    else if (output.type === 'error') throw displayedError(output.text)
    else await editor.notify('session/update', { sessionId, update: toUpdate(output, reportedCalls) })
  }
  return question
}

function toUpdate(output: Exclude<ChatOutput, { type: 'question' | 'error' }>, reportedCalls: Set<string>) {
  if (output.type === 'activity')
    return activityUpdate(output.activity, { isNew: recordCall(output.activity, reportedCalls) })
  const sessionUpdate = output.type === 'text' ? ('agent_message_chunk' as const) : ('agent_thought_chunk' as const)
  return { sessionUpdate, content: textContent(output.text) }
}

/** Records a tool call as reported. @returns whether it is new to the editor */
function recordCall(activity: ActivityItem, reportedCalls: Set<string>): boolean {
  if (activity.type === 'plan' || reportedCalls.has(activity.tool_call_id)) return false
  reportedCalls.add(activity.tool_call_id)
  return true
}

/** Asks the editor. When the editor cancels the turn, cancels the question too, because it would block the session. */
async function askForAnswer(deps: TurnDeps, question: AgentQuestion) {
  const { client, intern, sessionId } = deps
  try {
    return await answerWhileOpen({ client, intern, sessionId, questionId: question.id }, (signal) =>
      askEditor({ ...deps, signal: AbortSignal.any([deps.signal, signal]) }, question),
    )
  } catch (error) {
    const timeout = AbortSignal.timeout(cancelTimeoutMs)
    for await (const _ of deps.chat.answer(question, cancelAnswer(question), timeout)) break
    throw error
  }
}
