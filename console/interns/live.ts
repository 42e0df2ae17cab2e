import { useEffect, useRef } from 'preact/hooks'
import { call } from '../api/client.ts'
import { hearsEvents, useEvents } from '../api/events.ts'
import { asFailure } from '../api/failure.ts'
import { useResource } from '../api/resource.ts'
import type { Intern, InternQuestion } from '../api/types.ts'
import { setBadge } from '../pieces/badges.ts'

export type Waiting = { intern: Intern; question: InternQuestion }
export type World = { interns: Intern[]; waiting: Waiting[] }

/** Several events come at once when a turn ends: they are one change. */
const settleMs = 120
/** Where events are not heard, it is asked so often. */
const askMs = 10_000

/** Calls `act` when an intern, or what one asks, has changed. */
export function useChanges(act: () => void): void {
  const timer = useRef<number>(undefined)
  const soon = () => {
    clearTimeout(timer.current)
    timer.current = window.setTimeout(act, settleMs)
  }
  useEvents('question', soon)
  useEvents('intern', soon)
  useEvents('reset', soon)
  useEffect(() => {
    const asking = setInterval(() => {
      if (!hearsEvents() && !document.hidden) soon()
    }, askMs)
    return () => {
      clearInterval(asking)
      clearTimeout(timer.current)
    }
  }, [])
}

/** All interns that one sees, and what they wait for answers to: what ends first comes first. */
export function useWorld() {
  const world = useResource<World>('interns', loadWorld)
  useChanges(world.reload)
  const count = world.data?.waiting.length
  useEffect(() => {
    if (count !== undefined) setBadge('interns', count)
  }, [count])
  // Elsewhere nobody counts: no number is better than an old one.
  useEffect(() => () => setBadge('interns', 0), [])
  return world
}

async function loadWorld(signal: AbortSignal): Promise<World> {
  const interns = await allInterns(signal)
  const asked = await Promise.all(interns.map((intern) => questionsOf(intern, signal)))
  const waiting = asked.flat().sort((a, b) => a.question.deadline_at.localeCompare(b.question.deadline_at))
  return { interns, waiting }
}

async function allInterns(signal: AbortSignal): Promise<Intern[]> {
  const interns: Intern[] = []
  for (let after: string | undefined; ; ) {
    const query = { limit: 100, ...(after && { starting_after: after }) }
    const page = await call('GET /interns', { query }, { signal })
    interns.push(...page.data)
    if (!page.has_more || !page.next_cursor) return interns
    after = page.next_cursor
  }
}

async function questionsOf(intern: Intern, signal: AbortSignal): Promise<Waiting[]> {
  if (intern.status !== 'running') return []
  try {
    const { data } = await call('GET /interns/{internId}/questions', { params: { internId: intern.id } }, { signal })
    return data.map((question) => ({ intern, question }))
  } catch (error) {
    // It was deleted meanwhile.
    if (asFailure(error).status === 404) return []
    throw error
  }
}
