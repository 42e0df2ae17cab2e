import type { ApiClient } from '../api-client.ts'

/** A question of an intern, read from the tool call of its reply. */
export type AgentQuestion =
  | { id: string; kind: 'permission'; operation: string | null; options: string[]; detail?: string }
  | { id: string; kind: 'elicitation'; message: string; fields: Field[] }
export type Field = { name: string; type: string; required: boolean; options?: string[] }

export type ChatOutput =
  | { type: 'text' | 'reasoning'; text: string }
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
  error?: { message: string }
  session_id?: string | null
}

/** One session with an intern: each prompt or answer gives what it says to it, as it comes. */
export function conversation(
  client: Pick<ApiClient, 'stream'>,
  intern: string,
  { mode, session }: { mode: string; session?: string | undefined },
) {
  let sessionId = session

  async function* send(messages: object[], signal: AbortSignal): AsyncGenerator<ChatOutput, void> {
    const body = { stream: true, approval_mode: mode, messages, ...(sessionId && { session_id: sessionId }) }
    const path = `/interns/${encodeURIComponent(intern)}/chat/completions`
    for await (const data of client.stream(path, body, signal)) {
      const chunk = JSON.parse(data) as Chunk
      if (chunk.session_id) sessionId = chunk.session_id
      yield* outputIn(chunk)
    }
  }

  return {
    session: () => sessionId,
    /** The next prompt begins another session. */
    begin() {
      sessionId = undefined
    },
    prompt: (text: string, signal: AbortSignal) => send([{ role: 'user', content: text }], signal),
    answer: (asked: AgentQuestion, content: string, signal: AbortSignal) =>
      send([{ role: 'tool', tool_call_id: asked.id, content }], signal),
  }
}

function* outputIn({ choices, error }: Chunk): Generator<ChatOutput> {
  const delta = choices[0]?.delta
  if (delta?.reasoning) yield { type: 'reasoning', text: delta.reasoning }
  if (delta?.content) yield { type: 'text', text: delta.content }
  for (const call of delta?.tool_calls ?? []) {
    yield { type: 'asked', asked: { id: call.id, ...JSON.parse(call.function.arguments) } as AgentQuestion }
  }
  if (error) yield { type: 'error', text: error.message }
}
