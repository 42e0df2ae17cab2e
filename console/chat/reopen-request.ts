import { useEffect, useState } from 'preact/hooks'
import { call } from '../api/client.ts'
import { asFailure } from '../api/failure.ts'
import type { ChatRequest } from '../api/types.ts'
import { type ChatStart, draft } from './conversation.ts'
import type { Settings } from './request.ts'

type Message = ChatRequest['messages'][number]

/** Splits stored messages into the system prompt, earlier messages and the last user message. */
export function splitMessages(messages: Message[]): { system: string; earlier: Message[]; last: string } {
  const isSystem = ({ role }: Message) => role === 'system' || role === 'developer'
  const rest = messages.filter((message) => !isSystem(message))
  const endsWithUserMessage = rest.at(-1)?.role === 'user'
  return {
    system: messages.filter(isSystem).map(textOf).join('\n\n'),
    earlier: endsWithUserMessage ? rest.slice(0, -1) : rest,
    last: endsWithUserMessage ? textOf(rest.at(-1)!) : '',
  }
}

function textOf({ content }: Message): string {
  if (typeof content === 'string') return content
  return (content ?? []).map(({ text }) => text ?? '').join('\n')
}

/** The chat settings of a stored request. Parameters without an input become additional fields. */
export function settingsOf(system: string, parameters: Record<string, unknown>): Settings {
  const {
    temperature,
    top_p,
    max_tokens,
    max_completion_tokens,
    reasoning,
    // The chat is not part of the session of the stored request.
    session_id: _omitted,
    ...otherParameters
  } = parameters
  const { effort, ...otherReasoning } = (reasoning ?? {}) as { effort?: unknown }
  // The effort input can only represent `reasoning` if it has no other field.
  const hasOnlyEffort = typeof effort === 'string' && Object.keys(otherReasoning).length === 0
  const isReasoningOmitted = reasoning === undefined || reasoning === null || hasOnlyEffort
  const additional = isReasoningOmitted ? otherParameters : { ...otherParameters, reasoning }
  const numberText = (value: unknown) => (typeof value === 'number' ? String(value) : '')
  return {
    system,
    temperature: numberText(temperature),
    topP: numberText(top_p),
    maxTokens: numberText(max_tokens ?? max_completion_tokens),
    effort: hasOnlyEffort ? effort : '',
    additionalFields: Object.keys(additional).length > 0 ? JSON.stringify(additional, null, 2) : '',
  }
}

/** Fills a new chat with a stored request. @returns a problem to display. */
export function useReopenedRequest(
  requestId: string | undefined,
  startNewChat: (start: ChatStart) => void,
): string | undefined {
  const [problem, setProblem] = useState<string>()
  useEffect(() => {
    if (requestId === undefined) return
    setProblem(undefined)
    call('GET /generation/content', { query: { id: requestId } }).then(
      ({ data }) => {
        const { system, earlier, last } = splitMessages(data.input.messages as Message[])
        startNewChat({ earlierMessages: earlier, settings: settingsOf(system, data.input.parameters ?? {}) })
        draft.value = last
        if (data.input.parameters === null) setProblem('Other fields of that request were too long to be stored.')
      },
      (error) => {
        const { status, message } = asFailure(error)
        setProblem(status === 404 ? 'The prompt of that request was not stored. Enter it again.' : message)
      },
    )
  }, [requestId])
  return problem
}
