import { setTimeout as sleep } from 'node:timers/promises'
import type { z } from 'zod'
import type { EntryItem } from '#interns/turns/entry-item.ts'
import { type ApiClient, ServiceError } from '../kit/api-client.ts'
import { internPath } from '../kit/intern-path.ts'

type QuestionEntry = Extract<z.infer<typeof EntryItem>, { type: 'question' }>

type QuestionLocation = {
  client: Pick<ApiClient, 'stream'>
  intern: string
  sessionId: string
  questionId: string
}

/** `isWithdrawn`: the agent withdrew the question, and its run continues. */
type ClosedQuestion = { reason: string; isWithdrawn: boolean }

/** The pause before a stream that broke is opened again. */
const reconnectMs = 1000

/**
 * Asks for an answer while the question is open. The signal aborts when the question expires or is withdrawn, when its run ends, or
 * when another client answers it. @returns the answer, or the reason why the question is closed
 */
export async function answerWhileOpen<Answer>(
  location: QuestionLocation,
  ask: (signal: AbortSignal) => Promise<Answer>,
): Promise<{ answer: Answer } | ClosedQuestion> {
  const closeController = new AbortController()
  const watchController = new AbortController()
  const watch = watchQuestion(location, watchController.signal).then((reason) => {
    if (reason !== undefined) closeController.abort(reason)
  })
  try {
    return { answer: await ask(closeController.signal) }
  } catch (error) {
    if (!closeController.signal.aborted) throw error
    return closeController.signal.reason as ClosedQuestion
  } finally {
    watchController.abort()
    await watch
  }
}

/** Follows the session until the question closes. @returns the reason; undefined if the session cannot be followed */
async function watchQuestion(location: QuestionLocation, signal: AbortSignal): Promise<ClosedQuestion | undefined> {
  while (!signal.aborted) {
    try {
      const entry = await closedEntry(location, signal)
      if (entry) return { reason: closingReason(entry), isWithdrawn: entry.end_reason === 'withdrawn' }
    } catch (error) {
      // The service refused the request. Any other error is a broken connection, which is opened again.
      if (error instanceof ServiceError) return undefined
    }
    await sleep(reconnectMs, undefined, { signal }).catch(() => {})
  }
  return undefined
}

async function closedEntry({ client, intern, sessionId, questionId }: QuestionLocation, signal: AbortSignal) {
  const path = internPath(intern, `/sessions/${encodeURIComponent(sessionId)}/events`)
  for await (const data of client.stream(path, undefined, signal)) {
    const entry = JSON.parse(data) as EntryItem
    if (entry.type === 'question' && entry.question_id === questionId && entry.state !== 'waiting') return entry
  }
  return undefined
}

function closingReason(entry: QuestionEntry): string {
  const { state, end_reason, answer, answered_by_user_name, updated_at, deadline_at } = entry
  if (state === 'answered') {
    const name = answered_by_user_name ?? 'Another client'
    return `${name} answered the question${answer === null ? '' : `: ${answer}`}.`
  }
  if (end_reason === 'withdrawn') return 'The agent has withdrawn the question.'
  const isExpired = Date.parse(updated_at) >= Date.parse(deadline_at)
  return isExpired ? 'The question expired, and the run ended.' : 'The run ended, so the question is closed.'
}
