import type { Replay } from '../../api/types.ts'
import { ruleLabel } from '../../components/policy/rule-label.ts'
import { ClockTime } from '../../components/text/timestamp.tsx'
import { Usd } from '../../components/text/usd.tsx'
import { exactCount } from '../../format/count.ts'

export const outcomeLabels = { refuse: 'refused', reroute: 'rerouted', redact: 'redacted' }

/** The affected requests with their outcome, the rule, and their actual cost. */
export function AffectedRequests({ replay: { touched: total, touched_requests: requests } }: { replay: Replay }) {
  if (requests.length === 0) return null
  return (
    <details>
      <summary>
        Affected requests
        {total > requests.length && `: the newest ${exactCount(requests.length)} of ${exactCount(total)}`}
      </summary>
      <table class="plain-table affected-requests" aria-label="Affected requests">
        <tbody>
          {requests.map(({ id, created_at, model, usd, effects }) => (
            <tr key={id}>
              <th scope="row">
                <a href={`/requests/${encodeURIComponent(id)}`}>
                  <ClockTime time={created_at} />
                </a>
              </th>
              <td>{model}</td>
              <td>
                {effects.map(({ outcome, rule }) => (
                  <div key={outcome + rule}>
                    {ruleLabel(rule)} <span class={outcome === 'refuse' ? 'bad' : 'dim'}>{outcomeLabels[outcome]}</span>
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
