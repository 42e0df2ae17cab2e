import type { ComponentChildren } from 'preact'
import { Problem } from '../page/problem.tsx'

type ReplayFrameProps<Span extends string> = {
  title: string
  class?: string
  spans: readonly Span[]
  span: Span
  onChange: (span: Span) => void
  isLoading: boolean
  problem: string | undefined
  /** The results; undefined while loading. */
  children: ComponentChildren | undefined
}

/** The frame of a replay: its time range, progress and results. */
export function ReplayFrame<Span extends string>(props: ReplayFrameProps<Span>) {
  const { title, class: name, spans, span, onChange, isLoading, problem, children } = props
  return (
    <section class={name} aria-label="Replay" aria-busy={isLoading}>
      <h2>
        {title}{' '}
        <select aria-label="Time range" value={span} onChange={(event) => onChange(event.currentTarget.value as Span)}>
          {spans.map((one) => (
            <option key={one} value={one}>
              last {one}
            </option>
          ))}
        </select>
      </h2>
      <Problem text={problem} />
      {children ?? (problem === undefined && <p class="dim">Loading …</p>)}
    </section>
  )
}
