import { signal } from '@preact/signals'
import { call } from '../api/client.ts'
import { asFailure } from '../api/failure.ts'
import type { InternQuestion } from '../api/types.ts'
import { runOrToast } from '../components/form/use-action.ts'
import { toast } from '../components/page/toast.tsx'
import type { InternRef } from './intern-updates.ts'

/** Questions whose answer was sent from this page and not rejected. */
export const sentAnswers = signal<ReadonlySet<string>>(new Set())
/** Answers a question. The run continues in the background. */
export async function answer(intern: InternRef, question: InternQuestion, content: string): Promise<void> {
  sentAnswers.value = new Set(sentAnswers.peek()).add(question.id)
  if (await send(intern, question.session_id, { role: 'tool', tool_call_id: question.id, content })) return
  const remaining = new Set(sentAnswers.peek())
  remaining.delete(question.id)
  sentAnswers.value = remaining
}

/** Sends a message in a session. @returns whether it was accepted. */
export function sendMessage(intern: InternRef, sessionId: string, text: string): Promise<boolean> {
  return send(intern, sessionId, { role: 'user', content: text })
}

/** Starts a session. @returns its id, or undefined if the message was rejected. */
export async function startSession(intern: InternRef, text: string): Promise<string | undefined> {
  try {
    const body = { messages: [{ role: 'user' as const, content: text }], background: true }
    const response: unknown = await call('POST /interns/{internId}/chat/completions', {
      params: { internId: intern.id },
      body,
    })
    return (response as AcceptedRun).data.session_id
  } catch (error) {
    reportFailure(intern, error)
  }
}

/** Cancels a run. */
export const stopRun = (intern: InternRef, runId: string): Promise<void> =>
  runOrToast(
    () => call('POST /interns/{internId}/runs/{runId}/cancel', { params: { internId: intern.id, runId } }),
    `${intern.name}: `,
  )

type AcceptedRun = { data: { session_id: string } }
type Message = { role: 'tool'; tool_call_id: string; content: string } | { role: 'user'; content: string }

async function send(intern: InternRef, sessionId: string, message: Message): Promise<boolean> {
  try {
    const params = { internId: intern.id, sessionId }
    const body = { messages: [message], background: true }
    await call('POST /interns/{internId}/sessions/{sessionId}/chat/completions', { params, body })
    return true
  } catch (error) {
    reportFailure(intern, error)
    return false
  }
}

const reportFailure = (intern: InternRef, error: unknown) =>
  toast(`${intern.name}: ${asFailure(error).message}`, { isError: true })
