import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useKeys } from '../components/keys.ts'
import { sentAnswers } from './intern-messages.ts'
import type { Waiting } from './intern-updates.ts'
import { QuestionCard } from './question-card.tsx'

/** A key answers a question only after it was current for this time, so that a double press answers only one. */
const minVisibleMs = 500

/** The open questions. `a`, `A` and `r` answer the current one, `j` and `k` select another. */
export function Inbox({ waiting }: { waiting: Waiting[] }) {
  const [chosen, choose] = useState<string>()
  const list = useRef<HTMLElement>(null)
  const open = waiting.filter(({ question }) => !sentAnswers.value.has(question.id))
  const current = currentOf(waiting, open, chosen)
  const visibleSince = useRef(Number.POSITIVE_INFINITY)
  useLayoutEffect(() => {
    // The question is in the document, but not painted yet.
    visibleSince.current = Number.POSITIVE_INFINITY
  }, [current])
  useEffect(() => {
    visibleSince.current = performance.now()
    // It stays current when a question with an earlier deadline arrives.
    if (current !== undefined) choose(current)
  }, [current])
  const move = (by: number) => {
    const at = open.findIndex(({ question }) => question.id === current) + by
    if (open[at]) choose(open[at].question.id)
  }
  const press = (key: string) => (event: KeyboardEvent) => {
    // The time of the key press counts, not when a busy page handles it.
    if (event.repeat || event.timeStamp - visibleSince.current < minVisibleMs) return
    list.current?.querySelector<HTMLButtonElement>(`.front [data-key="${key}"]`)?.click()
  }
  useKeys([
    { key: 'j', description: 'next question', act: () => move(1) },
    { key: 'k', description: 'previous question', act: () => move(-1) },
    { key: 'a', description: 'allow once', act: press('a') },
    { key: 'A', description: 'allow always', act: press('A') },
    { key: 'r', description: 'reject', act: press('r') },
  ])
  return (
    <section ref={list} class="inbox" aria-label="Questions">
      {waiting.map((one) => (
        <QuestionCard
          key={one.question.id}
          waiting={one}
          isSelected={one.question.id === current}
          choose={() => choose(one.question.id)}
        />
      ))}
    </section>
  )
}

/** The selected question; after its answer the next open one, or the last. */
function currentOf(waiting: Waiting[], open: Waiting[], chosen: string | undefined): string | undefined {
  const after = waiting.slice(
    Math.max(
      0,
      waiting.findIndex(({ question }) => question.id === chosen),
    ),
  )
  return (after.find((one) => open.includes(one)) ?? open.at(-1))?.question.id
}
