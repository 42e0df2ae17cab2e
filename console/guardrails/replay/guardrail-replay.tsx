import { useState } from 'preact/hooks'
import { call } from '../../api/client.ts'
import { useResource } from '../../api/resource.ts'
import type { GuardrailPatch, Replay } from '../../api/types.ts'
import { ReplayFrame } from '../../components/policy/replay-frame.tsx'
import { ruleLabel } from '../../components/policy/rule-label.ts'
import { Usd } from '../../components/text/usd.tsx'
import { useDebounced } from '../../components/window/use-debounced.ts'
import { exactCount } from '../../format/count.ts'
import { dayMs } from '../../format/time.ts'
import { changesBetween, type Policy, patchBetween } from '../policy.ts'
import { AffectedRequests, outcomeLabels } from './affected-requests.tsx'

/** The time ranges, in days. */
const spanDays = { '24 hours': 1, '7 days': 7, '30 days': 30 }
type Span = keyof typeof spanDays
const spanNames = Object.keys(spanDays) as Span[]
const maxListedRequests = 100

type GuardrailReplayProps = { guardrailId: string; savedPolicy: Policy; policy: Policy }

/** A replay of past requests with the saved policy, and with the unsaved changes. */
export function GuardrailReplay({ guardrailId, savedPolicy, policy }: GuardrailReplayProps) {
  const [span, setSpan] = useState<Span>('7 days')
  const isChanged = changesBetween(savedPolicy, policy).length > 0
  const patch = useDebounced(JSON.stringify(patchBetween(savedPolicy, policy)))
  const savedReplay = useReplay(guardrailId, span, JSON.stringify(savedPolicy), {})
  const changed = useReplay(guardrailId, span, isChanged ? patch : undefined, isChanged ? JSON.parse(patch) : {})
  const failure = (isChanged && changed.failure) || savedReplay.failure
  const draft = isChanged && !changed.failure ? changed.data : undefined
  return (
    <ReplayFrame
      title="Replay"
      class="guardrail-replay"
      spans={spanNames}
      span={span}
      onChange={setSpan}
      isLoading={savedReplay.isLoading || changed.isLoading}
      problem={failure ? failure.message : undefined}
    >
      {savedReplay.data && <Figures saved={savedReplay.data} draft={draft} />}
    </ReplayFrame>
  )
}

/** @param key undefined disables the request. */
function useReplay(guardrailId: string, span: Span, key: string | undefined, patch: GuardrailPatch) {
  return useResource(key && `/guardrails/${guardrailId}/replay ${span} ${key}`, async (signal) => {
    const from = new Date(Date.now() - spanDays[span] * dayMs).toISOString()
    const body = { from, policy: patch, list: maxListedRequests }
    return (await call('POST /guardrails/{id}/replay', { params: { id: guardrailId }, body }, { signal })).data
  })
}

const totals = [
  ['refused', 'would_refuse'],
  ['rerouted', 'would_reroute'],
  ['redacted', 'would_redact'],
] as const

function Figures({ saved, draft }: { saved: Replay; draft: Replay | undefined }) {
  const latest = draft ?? saved
  if (saved.requests === 0)
    return <p class="dim">The guardrail applies to no request in this time range. Refused requests are not counted.</p>
  return (
    <>
      <p>
        {exactCount(latest.requests)} <span class="dim">requests that the guardrail applies to, total cost</span>{' '}
        <Usd amount={latest.usd} />
      </p>
      <table class="plain-table">
        <thead>
          <tr>
            <td />
            <th scope="col" class="number">
              without changes
            </th>
            {draft && (
              <th scope="col" class="number">
                with changes
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {totals.map(([label, field]) => (
            <tr key={field}>
              <th scope="row">{label}</th>
              <td class="number">{exactCount(saved[field])}</td>
              {draft && (
                <td class={draft[field] > saved[field] ? 'number bad' : 'number'}>{exactCount(draft[field])}</td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
      <ReplayDetails replay={latest} />
    </>
  )
}

/** The results by rule and model, and their limitations. */
function ReplayDetails({ replay }: { replay: Replay }) {
  const models = replay.by_model.filter(
    ({ would_refuse, would_reroute, would_redact }) => would_refuse + would_reroute + would_redact > 0,
  )
  return (
    <>
      {replay.by_rule.length > 0 && <h3>By rule</h3>}
      <ul class="guardrail-parts">
        {replay.by_rule.map(({ rule, outcome, requests, usd }) => (
          <li key={`${rule} ${outcome}`}>
            <span>
              {ruleLabel(rule)} <span class="dim">{outcomeLabels[outcome]}</span>
            </span>
            <span>
              {exactCount(requests)} <span class="dim">for</span> <Usd amount={usd} />
            </span>
          </li>
        ))}
      </ul>
      {models.length > 0 && <h3>By model</h3>}
      <ul class="guardrail-parts">
        {models.map(({ model, would_refuse, would_reroute, would_redact }) => (
          <li key={model}>
            <a href={`/requests?model=${encodeURIComponent(model)}`}>{model}</a>
            <span>{exactCount(would_refuse + would_reroute + would_redact)}</span>
          </li>
        ))}
      </ul>
      <AffectedRequests replay={replay} />
      <details>
        <summary>Notes</summary>
        <ul>
          {replay.undecidable.map(({ rule, requests, why }) => (
            <li key={rule}>
              {ruleLabel(rule)}, {exactCount(requests)}: {why}
            </li>
          ))}
          {replay.notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      </details>
    </>
  )
}
