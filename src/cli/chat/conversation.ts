import { randomUUID } from 'node:crypto'
import type { ActivityItem } from '#interns/contract/activity-item.ts'
import type { AttachedPart } from '#interns/turns/attached-parts.ts'
import type { ApiClient } from '../kit/api-client.ts'
import { internPath } from '../kit/intern-path.ts'

/** A prompt for an intern, with its attachments. */
export type PromptContent = string | ({ type: 'text'; text: string } | AttachedPart)[]

/** A question of an intern, parsed from the tool call in its reply. */
export type AgentQuestion =
  | { id: string; kind: 'permission'; operation: string | null; options: string[]; choices?: Choice[]; detail?: string }
  | { id: string; kind: 'elicitation'; message: string; fields: Field[] }

/** One of the answers that the agent offers. */
type Choice = { id: string; kind: string; name: string }
export type Field = { name: string; type: string; required: boolean; options?: string[] }

export type ChatOutput =
  | { type: 'text' | 'reasoning'; text: string }
  /** The current state of a tool call or of the plan. */
  | { type: 'activity'; activity: ActivityItem }
  | { type: 'question'; question: AgentQuestion }
  | { type: 'error'; text: string }

type Chunk = {
  choices: {
    delta: {
      content?: string
      reasoning?: string
      tool_calls?: { id: string; function: { name: string; arguments: string } }[]
    }
  }[]
  activity?: ActivityItem
  error?: { message: string }
}

/** One session with an intern. Prompts and answers return the output of the intern as a stream. */
export function createConversation(
  client: Pick<ApiClient, 'stream'>,
  intern: string,
  { mode: initialMode, session }: { mode: string; session?: string | undefined },
) {
  let sessionId = session
  let mode = initialMode

  async function* send(messages: object[], signal: AbortSignal): AsyncGenerator<ChatOutput, void> {
    // Chosen by the client, so that it is known even if the reply ends before the service reports it.
    sessionId ??= randomUUID()
    const stream_options = { include_activity: true }
    const body = { stream: true, stream_options, approval_mode: mode, messages, session_id: sessionId }
    for await (const data of client.stream(internPath(intern, '/chat/completions'), body, signal)) {
      yield* toOutputs(JSON.parse(data) as Chunk)
    }
  }

  return {
    session: () => sessionId,
    /** Selects the session for the next prompt. Without an argument, the prompt starts a new session. */
    useSession(session?: string) {
      sessionId = session
    },
    mode: () => mode,
    setMode(newMode: string) {
      mode = newMode
    },
    prompt: (content: PromptContent, signal: AbortSignal) => send([{ role: 'user', content }], signal),
    answer: (question: AgentQuestion, content: string, signal: AbortSignal) =>
      send([{ role: 'tool', tool_call_id: question.id, content }], signal),
  }
}

export type Conversation = ReturnType<typeof createConversation>

function* toOutputs({ choices, activity, error }: Chunk): Generator<ChatOutput> {
  const delta = choices[0]?.delta
  if (activity) yield { type: 'activity', activity }
  if (delta?.reasoning) yield { type: 'reasoning', text: delta.reasoning }
  if (delta?.content) yield { type: 'text', text: delta.content }
  for (const call of delta?.tool_calls ?? []) {
    yield { type: 'question', question: { id: call.id, ...JSON.parse(call.function.arguments) } as AgentQuestion }
  }
  if (error) yield { type: 'error', text: error.message }
}
