import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useShortcuts } from '../../components/window/keyboard.ts'
import { sentAnswers } from '../intern-messages.ts'
import type { OpenQuestion } from '../intern-updates.ts'
import { QuestionCard } from './question-card.tsx'

/** A key answers a question only after it was current for this time, so that a double press answers only one. */
const minVisibleMs = 500

/** The open questions. `a`, `A` and `r` answer the current one, `j` and `k` select another. */
export function Inbox({ questions }: { questions: OpenQuestion[] }) {
  const [selectedId, setSelectedId] = useState<string>()
  const list = useRef<HTMLElement>(null)
  const openQuestions = questions.filter(({ question }) => !sentAnswers.value.has(question.id))
  const current = currentOf(questions, openQuestions, selectedId)
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
    const index = openQuestions.findIndex(({ question }) => question.id === current) + offset
    if (openQuestions[index]) setSelectedId(openQuestions[index].question.id)
  }
  const pressButton = (key: string) => (event: KeyboardEvent) => {
    // The time of the key press counts, not when a busy page handles it.
    if (event.repeat || event.timeStamp - visibleSince.current < minVisibleMs) return
    list.current?.querySelector<HTMLButtonElement>(`.selected-question [data-key="${key}"]`)?.click()
  }
  useShortcuts([
    { key: 'j', description: 'next question', onPress: () => move(1) },
    { key: 'k', description: 'previous question', onPress: () => move(-1) },
    { key: 'a', description: 'allow once', onPress: pressButton('a') },
    { key: 'A', description: 'allow always', onPress: pressButton('A') },
    { key: 'r', description: 'reject', onPress: pressButton('r') },
  ])
  return (
    <section ref={list} class="inbox" aria-label="Questions">
      {questions.map((one) => (
        <QuestionCard
          key={one.question.id}
          {...one}
          isSelected={one.question.id === current}
          onSelect={() => setSelectedId(one.question.id)}
        />
      ))}
    </section>
  )
}

/** The selected question; after its answer the next open one, or the last. */
function currentOf(
  questions: OpenQuestion[],
  unanswered: OpenQuestion[],
  selectedId: string | undefined,
): string | undefined {
  const remaining = questions.slice(
    Math.max(
      0,
      questions.findIndex(({ question }) => question.id === selectedId),
    ),
  )
  return (remaining.find((one) => unanswered.includes(one)) ?? unanswered.at(-1))?.question.id
}
