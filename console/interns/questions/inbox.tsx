import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useKeys } from '../../components/window/keyboard.ts'
import { sentAnswers } from '../intern-messages.ts'
import type { OpenQuestion } from '../intern-updates.ts'
import { QuestionCard } from './question-card.tsx'

/** A key answers a question only after it was current for this time, so that a double press answers only one. */
const minVisibleMs = 500

/** The open questions. `a`, `A` and `r` answer the current one, `j` and `k` select another. */
export function Inbox({ waiting }: { waiting: OpenQuestion[] }) {
  const [selectedId, setSelectedId] = useState<string>()
  const list = useRef<HTMLElement>(null)
  const open = waiting.filter(({ question }) => !sentAnswers.value.has(question.id))
  const current = currentOf(waiting, open, selectedId)
  const visibleSince = useRef(Number.POSITIVE_INFINITY)
  useLayoutEffect(() => {
    // The question is in the document, but not painted yet.
    visibleSince.current = Number.POSITIVE_INFINITY
  }, [current])
  useEffect(() => {
    visibleSince.current = performance.now()
    // It stays current when a question with an earlier deadline arrives.
    if (current !== undefined) setSelectedId(current)
  }, [current])
  const move = (offset: number) => {
    const at = open.findIndex(({ question }) => question.id === current) + offset
    if (open[at]) setSelectedId(open[at].question.id)
  }
  const pressButton = (key: string) => (event: KeyboardEvent) => {
    // The time of the key press counts, not when a busy page handles it.
    if (event.repeat || event.timeStamp - visibleSince.current < minVisibleMs) return
    list.current?.querySelector<HTMLButtonElement>(`.selected-question [data-key="${key}"]`)?.click()
  }
  useKeys([
    { key: 'j', description: 'next question', act: () => move(1) },
    { key: 'k', description: 'previous question', act: () => move(-1) },
    { key: 'a', description: 'allow once', act: pressButton('a') },
    { key: 'A', description: 'allow always', act: pressButton('A') },
    { key: 'r', description: 'reject', act: pressButton('r') },
  ])
  return (
    <section ref={list} class="inbox" aria-label="Questions">
      {waiting.map((one) => (
        <QuestionCard
          key={one.question.id}
          waiting={one}
          isSelected={one.question.id === current}
          choose={() => setSelectedId(one.question.id)}
        />
      ))}
    </section>
  )
}

/** The selected question; after its answer the next open one, or the last. */
function currentOf(waiting: OpenQuestion[], open: OpenQuestion[], chosen: string | undefined): string | undefined {
  const remaining = waiting.slice(
    Math.max(
      0,
      waiting.findIndex(({ question }) => question.id === chosen),
    ),
  )
  return (remaining.find((one) => open.includes(one)) ?? open.at(-1))?.question.id
}
