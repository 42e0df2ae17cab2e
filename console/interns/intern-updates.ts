import { useEffect, useRef } from 'preact/hooks'
import { call } from '../api/client.ts'
import { hearsEvents, useEvents, useHearing } from '../api/events.ts'
import { everyItem } from '../api/pages.ts'
import { useResource } from '../api/resource.ts'
import type { Intern, InternQuestion, WaitingQuestion } from '../api/types.ts'
import { setBadge } from '../components/badges.ts'

/** As much of an intern as who answers it must know. */
export type Asker = Pick<Intern, 'id' | 'name'>
export type Creator = Pick<WaitingQuestion, 'creator_user_id' | 'creator_name'>
export type Waiting = { intern: Asker; creator: Creator; question: InternQuestion }
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
  useHearing(soon)
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
  return world
}

async function loadWorld(signal: AbortSignal): Promise<World> {
  const [{ rows: interns }, { rows: asked }] = await Promise.all([
    everyItem<Intern>((query) => call('GET /interns', { query }, { signal })),
    everyItem<WaitingQuestion>((query) => call('GET /interns/questions', { query }, { signal })),
  ])
  const waiting = asked.map((question) => ({
    intern: { id: question.intern_id, name: question.intern_name },
    creator: question,
    question,
  }))
  return { interns, waiting }
}
