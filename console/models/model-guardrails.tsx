import { canSeeAll } from '../api/key-access.ts'
import { useAllRows } from '../api/pages.ts'
import { currentSession } from '../api/session.ts'
import type { ModelVerdict } from '../api/types.ts'
import { FailureState } from '../components/page/page-states.tsx'
import { ruleLabel } from '../components/policy/rule-label.ts'
import { countText } from '../format/count.ts'

/** The guardrails that restrict a model: all such guardrails, or for developers those that apply to the session. */
export function ModelGuardrails({ author, slug }: { author: string; slug: string }) {
  const seesAllGuardrails = canSeeAll(currentSession())
  const { data, failure, reload } = useAllRows('GET /models/{author}/{slug}/guardrails', { params: { author, slug } })
  if (failure) return <FailureState failure={failure} onRetry={reload} />
  if (!data) return null
  const restrictingGuardrails = data.filter(({ rule, endpoints }) => rule !== null || endpoints.length > 0)
  const others = data.length - restrictingGuardrails.length
  return (
    <section aria-label="Guardrails">
      <h2>Guardrails</h2>
      {restrictingGuardrails.length > 0 && (
        <table class="plain-table">
          <tbody>
            {restrictingGuardrails.map((verdict) => (
              <GuardrailRow key={verdict.guardrail_id} verdict={verdict} isLinked={seesAllGuardrails} />
            ))}
          </tbody>
        </table>
      )}
      <p class="dim">
        {data.length === 0
          ? `No guardrails${seesAllGuardrails ? '' : ' apply to you'}. The model is allowed.`
          : others > 0 &&
            `${countText(others, restrictingGuardrails.length > 0 ? 'other guardrail' : 'guardrail')} without restrictions on this model.`}
      </p>
    </section>
  )
}

function GuardrailRow({ verdict, isLinked }: { verdict: ModelVerdict; isLinked: boolean }) {
  const { guardrail_id: id, guardrail_name: name, rule, endpoints, is_allowed } = verdict
  return (
    <tr>
      <th scope="row">
        <span class={is_allowed ? 'dot warn' : 'dot bad'} />
        {isLinked ? <a href={`/guardrails/${id}`}>{name}</a> : name}
      </th>
      <td>
        {rule !== null
          ? `refused: ${ruleLabel(rule)}`
          : `${is_allowed ? 'blocked endpoints:' : 'all endpoints blocked:'} ${endpoints
              .map(({ tag, rule: endpointRule }) => `${tag} (${ruleLabel(endpointRule)})`)
              .join(', ')}`}
      </td>
    </tr>
  )
}
