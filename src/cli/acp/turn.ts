import { type PromptResponse, RequestError } from '@agentclientprotocol/sdk'
import type { ActivityItem } from '#interns/contract/activity-item.ts'
import { leavingAnswer } from '../chat/answers.ts'
import type { AgentQuestion, ChatOutput, Conversation, PromptContent } from '../chat/conversation.ts'
import { waitingIn } from '../chat/waiting.ts'
import { ServiceRefused } from '../kit/api-client.ts'
import { askEditor, type EditorDeps } from './ask.ts'
import { activityUpdate, textContent } from './updates.ts'

type TurnDeps = EditorDeps & { talking: Conversation }

const cancelled: PromptResponse = { stopReason: 'cancelled' }

/** How long the intern may take to hear that nobody answers. */
const leaveMs = 5000

/**
 * A prompt, and all that the intern asks until it is done. A session that waits for an answer, which it may owe to
 * somebody who left, is given that first.
 */
export async function runTurn(deps: TurnDeps, content: PromptContent): Promise<PromptResponse> {
  const { talking, signal } = deps
  try {
    try {
      await relayAll(deps, talking.prompt(content, signal))
    } catch (error) {
      const waiting = error instanceof ServiceRefused && error.status === 409 ? await waitingFor(deps) : undefined
      if (!waiting) throw error
      await answerAndRelay(deps, waiting)
      await relayAll(deps, talking.prompt(content, signal))
    }
    return { stopReason: 'end_turn' }
  } catch (error) {
    if (signal.aborted) return cancelled
    throw error
  }
}

const waitingFor = ({ client, intern, sessionId }: TurnDeps) => waitingIn(client, intern, sessionId)

/** Tells the editor what comes, and asks it what the intern asks. */
async function relayAll(deps: TurnDeps, outputs: AsyncIterable<ChatOutput>): Promise<void> {
  const asked = await relay(deps, outputs)
  if (asked) await answerAndRelay(deps, asked)
}

async function answerAndRelay(deps: TurnDeps, first: AgentQuestion): Promise<void> {
  let asked: AgentQuestion | undefined = first
  while (asked) asked = await relay(deps, deps.talking.answer(asked, await answerTo(deps, asked), deps.signal))
}

async function relay({ editor, sessionId }: TurnDeps, outputs: AsyncIterable<ChatOutput>) {
  const known = new Set<string>()
  let asked: AgentQuestion | undefined
  for await (const output of outputs) {
    if (output.type === 'asked') asked = output.asked
    else if (output.type === 'error') throw new RequestError(-32603, output.text)
    else await editor.notify('session/update', { sessionId, update: updateOf(output, known) })
  }
  return asked
}

function updateOf(output: Exclude<ChatOutput, { type: 'asked' | 'error' }>, known: Set<string>) {
  if (output.type === 'activity') return activityUpdate(output.activity, isNew(output.activity, known))
  const sessionUpdate = output.type === 'text' ? ('agent_message_chunk' as const) : ('agent_thought_chunk' as const)
  return { sessionUpdate, content: textContent(output.text) }
}

function isNew(activity: ActivityItem, known: Set<string>): boolean {
  if (activity.type === 'plan' || known.has(activity.tool_call_id)) return false
  known.add(activity.tool_call_id)
  return true
}

/** Nobody can be shown the question again when the editor cancels the turn: left open, it would hold up the session. */
async function answerTo(deps: TurnDeps, asked: AgentQuestion): Promise<string> {
  try {
    return await askEditor(deps, asked)
  } catch (error) {
    const heard = AbortSignal.timeout(leaveMs)
    for await (const _ of deps.talking.answer(asked, leavingAnswer(asked), heard)) break
    throw error
  }
}
