import type { Guardrail } from '../api/types.ts'
import { periodText } from '../components/policy/policy-description.ts'
import { Usd } from '../components/text/usd.tsx'

const nearlyUsedUpShare = 0.9

/** The spend of a limit, as text and as a bar. */
export function LimitUsage({
  guardrail,
}: {
  guardrail: Pick<Guardrail, 'limit_usd' | 'spent_usd' | 'unconfirmed_usd' | 'reset_interval'>
}) {
  const { limit_usd: limit, spent_usd = 0, unconfirmed_usd: unconfirmed = 0, reset_interval: interval } = guardrail
  const spent = spent_usd + unconfirmed
  if (limit === null) return <span class="dim">no limit</span>
  const share = spent / limit
  const tone = share >= 1 ? 'full' : share >= nearlyUsedUpShare ? 'near' : ''
  return (
    <span class="guardrail-spent">
      <span class={`guardrail-bar ${tone}`} aria-hidden="true">
        <i style={{ width: `${Math.min(100, share * 100)}%` }} />
      </span>
      <span>
        <Usd amount={spent} /> <span class="dim">of</span> <Usd amount={limit} />{' '}
        <span class="dim">{periodText(interval)}</span>
        {unconfirmed > 0 && (
          <span class="dim">
            {' '}
            (<Usd amount={unconfirmed} /> unconfirmed)
          </span>
        )}
        {share >= 1 && <span class="bad"> used up</span>}
      </span>
    </span>
  )
}
