import { useEffect, useRef } from 'preact/hooks'
import { call } from '../api/client.ts'
import { isReceivingEvents, useEvents, useStreamRestart } from '../api/events.ts'
import { fetchAllCursorPages } from '../api/pages.ts'
import { useResource } from '../api/resource.ts'
import type { Intern, InternQuestion, WaitingQuestion } from '../api/types.ts'
import { setBadge } from '../components/page/badges.ts'

/** The fields of an intern that answers need. */
export type InternRef = Pick<Intern, 'id' | 'name'>
export type Creator = Pick<WaitingQuestion, 'creator_user_id' | 'creator_name'>
export type OpenQuestion = { intern: InternRef; creator: Creator; question: InternQuestion }
type InternsState = { interns: Intern[]; questions: OpenQuestion[] }

/** Events within this time are one change: several arrive when a turn ends. */
const settleMs = 120
/** The polling interval without an event stream. */
const pollMs = 10_000

/** Calls `onChange` when an intern or a question has changed. */
export function useInternChanges(onChange: () => void): void {
  const timer = useRef<number>(undefined)
  const schedule = () => {
    clearTimeout(timer.current)
    timer.current = window.setTimeout(onChange, settleMs)
  }
  useEvents('question', schedule)
  useEvents('intern', schedule)
  useStreamRestart(schedule)
  useEffect(() => {
    const pollTimer = setInterval(() => {
      if (!isReceivingEvents() && !document.hidden) schedule()
    }, pollMs)
    return () => {
      clearInterval(pollTimer)
      clearTimeout(timer.current)
    }
  }, [])
}

/** All visible interns, and their open questions, earliest deadline first. */
export function useInterns() {
  const state = useResource<InternsState>('interns', loadInterns)
  useInternChanges(state.reload)
  const count = state.data?.questions.length
  useEffect(() => {
    if (count !== undefined) setBadge('interns', count)
  }, [count])
  return state
}

async function loadInterns(signal: AbortSignal): Promise<InternsState> {
  const [{ rows: interns }, { rows: waitingQuestions }] = await Promise.all([
    fetchAllCursorPages<Intern>((query) => call('GET /interns', { query }, { signal })),
    fetchAllCursorPages<WaitingQuestion>((query) => call('GET /interns/questions', { query }, { signal })),
  ])
  const questions = waitingQuestions.map((question) => ({
    intern: { id: question.intern_id, name: question.intern_name },
    creator: question,
    question,
  }))
  return { interns, questions }
}
