import { rem } from '../../components/window/text-size.ts'
import { duration } from '../../format/time.ts'
import type { Step } from './timeline.ts'

/** The steps on one time axis. */
export function Waterfall({ steps, total }: { steps: Step[]; total: number }) {
  return (
    <ol class="waterfall">
      {steps.map((step, index) => (
        <li key={`${index} ${step.label}`} class={step.tone}>
          <Label step={step} />
          {step.from === undefined ? null : <Bar step={step} total={total} />}
          {step.from === undefined ? null : <span class="number dim">{step.duration}</span>}
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

function Label({ step: { label, text: description, href, from } }: { step: Step }) {
  const name = href ? <a href={href}>{label}</a> : label
  const text = [label, description].filter(Boolean).join(' · ')
  // A step without a bar uses the whole line for its text.
  return (
    <span class={from === undefined ? 'label wide' : 'label'} title={text}>
      {name}
      {description && <span class="dim"> · {description}</span>}
    </span>
  )
}

/** The height of a bar at the highest rate, or without rates. */
const maxBarPx = 10

function Bar({ step: { from = 0, ms = 0, pace }, total }: { step: Step; total: number }) {
  const share = (part: number) => `${total > 0 ? Math.min(100, (part / total) * 100) : 0}%`
  const segments = pace ? segmentsOf(pace, ms) : [{ at: 0, ms, height: maxBarPx }]
  return (
    <span class="track" aria-hidden="true">
      {segments.map(({ at, ms: width, height }) => (
        <i
          key={at}
          style={{
            left: share(from + at),
            width: share(width),
            top: rem(1 + maxBarPx - height),
            height: rem(height),
          }}
        />
      ))}
    </span>
  )
}

/** Splits a bar into intervals whose height is the token rate. */
function segmentsOf({ every, shares }: NonNullable<Step['pace']>, ms: number) {
  return shares.flatMap((share, index) => {
    const at = index * every
    return share === 0 || at >= ms ? [] : [{ at, ms: Math.min(every, ms - at), height: Math.max(1, share * maxBarPx) }]
  })
}
