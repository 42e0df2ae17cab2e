import { duration } from '../format/time.ts'
import type { Step } from './story.ts'

/** The steps on one time axis. */
export function Waterfall({ steps, total }: { steps: Step[]; total: number }) {
  return (
    <ol class="waterfall">
      {steps.map((step, index) => (
        <li key={`${index} ${step.label}`} class={step.tone}>
          <Label step={step} />
          {step.from === undefined ? null : <Bar step={step} total={total} />}
          {step.from === undefined ? null : <span class="number dim">{step.took}</span>}
        </li>
      ))}
      {total > 0 && (
        <li class="axis dim" aria-hidden="true">
          <span />
          <span>
            <i>0</i>
            <i>{duration(total)}</i>
          </span>
        </li>
      )}
    </ol>
  )
}

function Label({ step: { label, says, href, from } }: { step: Step }) {
  const name = href ? <a href={href}>{label}</a> : label
  const text = [label, says].filter(Boolean).join(' · ')
  // What has no bar has the whole line for its words.
  return (
    <span class={from === undefined ? 'label wide' : 'label'} title={text}>
      {name}
      {says && <span class="dim"> · {says}</span>}
    </span>
  )
}

function Bar({ step: { from = 0, ms = 0 }, total }: { step: Step; total: number }) {
  const share = (part: number) => `${total > 0 ? Math.min(100, (part / total) * 100) : 0}%`
  return (
    <span class="track" aria-hidden="true">
      <i style={{ left: share(from), width: share(ms) }} />
    </span>
  )
}
