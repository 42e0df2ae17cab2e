import { seesAll } from '../api/all-keys.ts'
import { useEvery } from '../api/pages.ts'
import { useMe } from '../api/session.ts'
import type { ModelVerdict } from '../api/types.ts'
import { Failed } from '../components/page-states.tsx'
import { ruleOf } from '../components/rule-label.ts'
import { counted } from '../format/count.ts'

/** What each guardrail leaves of a model: of all for who sees them, else of those in force for oneself. */
export function Policies({ author, slug }: { author: string; slug: string }) {
  const isAll = seesAll(useMe())
  const { data, failure, reload } = useEvery('GET /models/{author}/{slug}/guardrails', { params: { author, slug } })
  if (failure) return <Failed failure={failure} again={reload} />
  if (!data) return null
  const strict = data.filter(({ rule, endpoints }) => rule !== null || endpoints.length > 0)
  const others = data.length - strict.length
  return (
    <section aria-label="Guardrails">
      <h2>Guardrails</h2>
      {strict.length > 0 && (
        <table class="plain-table">
          <tbody>
            {strict.map((verdict) => (
              <PolicyRow key={verdict.guardrail_id} verdict={verdict} isLinked={isAll} />
            ))}
          </tbody>
        </table>
      )}
      <p class="dim">
        {data.length === 0
          ? `No guardrails${isAll ? '' : ' apply to you'}. The model is allowed.`
          : others > 0 &&
            `${counted(others, strict.length > 0 ? 'other guardrail' : 'guardrail')} without restrictions on this model.`}
      </p>
    </section>
  )
}

function PolicyRow({ verdict, isLinked }: { verdict: ModelVerdict; isLinked: boolean }) {
  const { guardrail_id: id, guardrail_name: name, rule, endpoints, is_allowed } = verdict
  return (
    <tr>
      <th scope="row">
        <span class={is_allowed ? 'dot warn' : 'dot bad'} />
        {isLinked ? <a href={`/guardrails/${id}`}>{name}</a> : name}
      </th>
      <td>
        {rule !== null
          ? `blocked: ${ruleOf(rule)}`
          : `${is_allowed ? 'blocked endpoints:' : 'all endpoints blocked:'} ${endpoints
              .map(({ tag, rule: own }) => `${tag} (${ruleOf(own)})`)
              .join(', ')}`}
      </td>
    </tr>
  )
}
