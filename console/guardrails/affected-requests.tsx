import type { Replay } from '../api/types.ts'
import { ruleOf } from '../components/rule-label.ts'
import { At } from '../components/timestamp.tsx'
import { Usd } from '../components/usd.tsx'
import { exactCount } from '../format/count.ts'

export const outcomes = { refuse: 'refused', reroute: 'rerouted', redact: 'redacted' }

/** Each request that would have gone another way: what would have become of it, by which rule, and what it did cost. */
export function Touched({ replay: { touched, touched_requests: told } }: { replay: Replay }) {
  if (told.length === 0) return null
  return (
    <details>
      <summary>
        Affected requests
        {touched > told.length && `: the newest ${exactCount(told.length)} of ${exactCount(touched)}`}
      </summary>
      <table class="plain-table guardrail-touched" aria-label="Affected requests">
        <tbody>
          {told.map(({ id, created_at, model, usd, effects }) => (
            <tr key={id}>
              <th scope="row">
                <a href={`/requests/${encodeURIComponent(id)}`}>
                  <At time={created_at} />
                </a>
              </th>
              <td>{model}</td>
              <td>
                {effects.map(({ outcome, rule }) => (
                  <div key={outcome + rule}>
                    {ruleOf(rule)} <span class={outcome === 'refuse' ? 'bad' : 'dim'}>{outcomes[outcome]}</span>
                  </div>
                ))}
              </td>
              <td class="number">
                <Usd amount={usd} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  )
}
