import { useEffect } from 'preact/hooks'
import { useGet } from '../api/resource.ts'
import type { AuditEvent } from '../api/types.ts'
import { FailureState } from '../components/page/page-states.tsx'
import { FieldChanges } from '../components/text/field-changes.tsx'
import { ClockTime } from '../components/text/timestamp.tsx'
import { changesBetween, emptyPolicy, type Policy, policyOf } from './policy.ts'

/** The changes of a guardrail, newest first. @param props.onRestore fills the form with an earlier state without saving it. */
export function History(props: {
  guardrailId: string
  version: string | undefined
  onRestore?: (policy: Policy) => void
}) {
  const { guardrailId, version, onRestore } = props
  const { data, failure, reload } = useGet('GET /audit', { query: { target_id: guardrailId, limit: 50 } })
  useEffect(() => reload(), [version, reload])
  if (failure) return <FailureState failure={failure} onRetry={reload} />
  const events = data?.data ?? []
  return (
    <section aria-label="History">
      <h2>History</h2>
      {data && events.length === 0 && <p class="dim">No changes yet.</p>}
      <ol class="guardrail-history">
        {events.map((event, index) => (
          <li key={event.id}>
            <div class="guardrail-event">
              <span>
                <ClockTime time={event.at} /> <b>{actorName(event)}</b>{' '}
                <span class="dim">{event.before ? 'updated' : 'created'}</span>
              </span>
              {onRestore && index > 0 && event.after !== null && (
                <button type="button" onClick={() => onRestore(policyOf(event.after as object))}>
                  Restore
                </button>
              )}
            </div>
            <FieldChanges changes={changesBetween(stateOf(event.before), stateOf(event.after))} />
          </li>
        ))}
      </ol>
    </section>
  )
}

const stateOf = (state: unknown) => (state ? policyOf(state as object) : emptyPolicy(''))
const actorName = ({ actor }: AuditEvent) => actor.user_name ?? actor.key_name ?? actor.user_id
