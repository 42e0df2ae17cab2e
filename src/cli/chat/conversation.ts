import { randomUUID } from 'node:crypto'
import type { ActivityItem } from '#interns/contract/activity-item.ts'
import type { AttachedPart } from '#interns/turns/attached-parts.ts'
import type { ApiClient } from '../kit/api-client.ts'
import { internPath } from '../kit/intern-path.ts'

/** What is said to an intern, and what comes with it. */
export type PromptContent = string | ({ type: 'text'; text: string } | AttachedPart)[]

/** A question of an intern, read from the tool call of its reply. */
export type AgentQuestion =
  | { id: string; kind: 'permission'; operation: string | null; options: string[]; choices?: Choice[]; detail?: string }
  | { id: string; kind: 'elicitation'; message: string; fields: Field[] }
/** An option of the intern's agent. */
type Choice = { id: string; kind: string; name: string }
export type Field = { name: string; type: string; required: boolean; options?: string[] }

export type ChatOutput =
  | { type: 'text' | 'reasoning'; text: string }
  /** A tool call as it stands, or the plan. */
  | { type: 'activity'; activity: ActivityItem }
  | { type: 'asked'; asked: AgentQuestion }
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

/** One session with an intern: each prompt or answer gives what it says to it, as it comes. */
export function conversation(
  client: Pick<ApiClient, 'stream'>,
  intern: string,
  { mode: begunIn, session }: { mode: string; session?: string | undefined },
) {
  let sessionId = session
  let mode = begunIn

  async function* send(messages: object[], signal: AbortSignal): AsyncGenerator<ChatOutput, void> {
    // Named here, so that it is known even where the reply breaks off before it is told.
    sessionId ??= randomUUID()
    const stream_options = { include_activity: true }
    const body = { stream: true, stream_options, approval_mode: mode, messages, session_id: sessionId }
    for await (const data of client.stream(internPath(intern, '/chat/completions'), body, signal)) {
      yield* outputIn(JSON.parse(data) as Chunk)
    }
  }

  return {
    session: () => sessionId,
    /** The next prompt goes on with this session, or begins another one. */
    take(session?: string) {
      sessionId = session
    },
    mode: () => mode,
    setMode(wanted: string) {
      mode = wanted
    },
    prompt: (content: PromptContent, signal: AbortSignal) => send([{ role: 'user', content }], signal),
    answer: (asked: AgentQuestion, content: string, signal: AbortSignal) =>
      send([{ role: 'tool', tool_call_id: asked.id, content }], signal),
  }
}

export type Conversation = ReturnType<typeof conversation>

function* outputIn({ choices, activity, error }: Chunk): Generator<ChatOutput> {
  const delta = choices[0]?.delta
  if (activity) yield { type: 'activity', activity }
  if (delta?.reasoning) yield { type: 'reasoning', text: delta.reasoning }
  if (delta?.content) yield { type: 'text', text: delta.content }
  for (const call of delta?.tool_calls ?? []) {
    yield { type: 'asked', asked: { id: call.id, ...JSON.parse(call.function.arguments) } as AgentQuestion }
  }
  if (error) yield { type: 'error', text: error.message }
}
