import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useKeys } from '../components/keys.ts'
import { sentAnswers } from './intern-messages.ts'
import type { Waiting } from './intern-updates.ts'
import { QuestionCard } from './question-card.tsx'

/** A question must have been in front so long before a key answers it: a key pressed twice answers one. */
const minVisibleMs = 500

/** What waits, the one in front marked: `a`, `A` and `r` answer that, `j` and `k` bring another to the front. */
export function Inbox({ waiting }: { waiting: Waiting[] }) {
  const [chosen, choose] = useState<string>()
  const list = useRef<HTMLElement>(null)
  const open = waiting.filter(({ question }) => !sentAnswers.value.has(question.id))
  const current = currentOf(waiting, open, chosen)
  const visibleSince = useRef(Number.POSITIVE_INFINITY)
  useLayoutEffect(() => {
    // It is in the document now, and a key would reach it, but nobody has seen it before the browser has painted it.
    visibleSince.current = Number.POSITIVE_INFINITY
  }, [current])
  useEffect(() => {
    visibleSince.current = performance.now()
    // It stays in front when one that ends sooner comes in.
    if (current !== undefined) choose(current)
  }, [current])
  const move = (by: number) => {
    const at = open.findIndex(({ question }) => question.id === current) + by
    if (open[at]) choose(open[at].question.id)
  }
  const press = (key: string) => (event: KeyboardEvent) => {
    // When the key was pressed counts, not when a busy page comes to it.
    if (event.repeat || event.timeStamp - visibleSince.current < minVisibleMs) return
    list.current?.querySelector<HTMLButtonElement>(`.front [data-key="${key}"]`)?.click()
  }
  useKeys([
    { key: 'j', says: 'next question', act: () => move(1) },
    { key: 'k', says: 'previous question', act: () => move(-1) },
    { key: 'a', says: 'allow once', act: press('a') },
    { key: 'A', says: 'allow always', act: press('A') },
    { key: 'r', says: 'reject', act: press('r') },
  ])
  return (
    <section ref={list} class="inbox" aria-label="Questions">
      {waiting.map((one) => (
        <QuestionCard
          key={one.question.id}
          waiting={one}
          isFront={one.question.id === current}
          choose={() => choose(one.question.id)}
        />
      ))}
    </section>
  )
}

/** The one that was chosen; once it is answered the next one, or the last where there is none. */
function currentOf(waiting: Waiting[], open: Waiting[], chosen: string | undefined): string | undefined {
  const after = waiting.slice(
    Math.max(
      0,
      waiting.findIndex(({ question }) => question.id === chosen),
    ),
  )
  return (after.find((one) => open.includes(one)) ?? open.at(-1))?.question.id
}
