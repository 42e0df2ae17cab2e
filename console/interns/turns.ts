import { signal } from '@preact/signals'
import { call } from '../api/client.ts'
import { asFailure } from '../api/failure.ts'
import type { InternQuestion } from '../api/types.ts'
import { toast } from '../pieces/toast.tsx'
import type { Asker } from './live.ts'

/** Questions whose answer was sent from here, and is not refused. */
export const answered = signal<ReadonlySet<string>>(new Set())
/** Turns that this page has to hear to their end: an intern whose caller leaves ends its turn. */
export const heard = signal(0)

function stay(event: BeforeUnloadEvent): void {
  event.preventDefault()
}

/** Answers what an intern asks. Its reply is heard to its end also when another screen is looked at. */
export function answer(intern: Asker, question: InternQuestion, content: string): Promise<void> {
  answered.value = new Set(answered.peek()).add(question.id)
  return hear(intern, question.session_id, { role: 'tool', tool_call_id: question.id, content }, () => {
    const left = new Set(answered.peek())
    left.delete(question.id)
    answered.value = left
  })
}

/** Says something in a session. */
export function say(intern: Asker, sessionId: string, text: string): Promise<void> {
  return hear(intern, sessionId, { role: 'user', content: text })
}

type Message = { role: 'tool'; tool_call_id: string; content: string } | { role: 'user'; content: string }

async function hear(intern: Asker, sessionId: string, message: Message, onRefused = () => {}): Promise<void> {
  if (heard.peek() === 0) addEventListener('beforeunload', stay)
  heard.value++
  try {
    const params = { internId: intern.id, sessionId }
    const body = { messages: [message] }
    await call('POST /interns/{internId}/sessions/{sessionId}/chat/completions', { params, body })
  } catch (error) {
    onRefused()
    toast(`${intern.name}: ${asFailure(error).message}`, { isBad: true })
  } finally {
    heard.value--
    if (heard.peek() === 0) removeEventListener('beforeunload', stay)
  }
}
