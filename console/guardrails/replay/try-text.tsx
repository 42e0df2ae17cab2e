import { useState } from 'preact/hooks'
import { call } from '../../api/client.ts'
import { useResource } from '../../api/resource.ts'
import type { TriedText } from '../../api/types.ts'
import { Problem } from '../../components/page/problem.tsx'
import { builtinFilterNames } from '../../components/policy/policy-description.ts'
import { useDebounced } from '../../components/window/use-debounced.ts'
import { exactCount } from '../../format/count.ts'
import { type Policy, patchBetween } from '../policy.ts'
import { countByRule, splitText } from './text-pieces.ts'

type TryProps = { guardrailId: string; savedPolicy: Policy; policy: Policy }
type TriedResult = { text: string; result: TriedText }

/** Shows what the filters find in a text, with unsaved changes. */
export function TryText({ guardrailId, savedPolicy, policy }: TryProps) {
  const [text, setText] = useState('')
  const debounced = useDebounced(JSON.stringify([text, patchBetween(savedPolicy, policy)]))
  const [debouncedText, patch] = JSON.parse(debounced) as [string, ReturnType<typeof patchBetween>]
  const key = debouncedText === '' ? undefined : `/guardrails/${guardrailId}/try ${debounced}`
  const { data, failure, isLoading } = useResource<TriedResult>(key, async (signal) => {
    // The service applies the changes to the stored guardrail.
    const body = { text: debouncedText, policy: patch }
    return {
      text: debouncedText,
      result: (await call('POST /guardrails/{id}/try', { params: { id: guardrailId }, body }, { signal })).data,
    }
  })
  return (
    <section class="guardrail-try" aria-label="Test a text" aria-busy={isLoading}>
      <h2>Test a text</h2>
      <textarea
        aria-label="Text"
        rows={3}
        maxLength={100_000}
        placeholder="Enter a text to see what the filters find. It is not stored."
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <Problem text={failure?.message} />
      {data && !failure && debouncedText !== '' && <Result trial={data} policy={policy} />}
    </section>
  )
}

const outcomeTexts: Record<TriedText['outcome'], [tone: string, label: string]> = {
  passed: ['ok', 'The text would be sent unchanged.'],
  redacted: ['warn', 'The text would be sent as:'],
  blocked: ['bad', 'The request would be blocked.'],
  failed: ['bad', 'A filter could not finish, so the request would be blocked:'],
}
const actionWords = { block: 'blocks', redact: 'redacts', flag: 'flags' }

function Result({ trial: { text, result }, policy }: { trial: TriedResult; policy: Policy }) {
  const [tone, label] = outcomeTexts[result.outcome]
  const name = (rule: string) => ruleName(rule, policy)
  return (
    <>
      {result.found.length > 0 && (
        <p class="tried-text">
          {splitText(text, result.found).map(({ text: piece, findings }, index) =>
            findings[0] ? (
              <mark key={index} class={findings[0].action} title={findings.map(({ rule }) => name(rule)).join(', ')}>
                {piece}
              </mark>
            ) : (
              piece
            ),
          )}
        </p>
      )}
      <ul class="guardrail-parts">
        {countByRule(result.found).map(({ rule, action, count }) => (
          <li key={rule}>
            <span>
              {name(rule)} <span class="dim">{actionWords[action]}</span>
            </span>
            <span>{exactCount(count)}</span>
          </li>
        ))}
      </ul>
      <p role="status">
        <span class={`dot ${tone}`} /> {label} {result.outcome === 'failed' && result.rule && name(result.rule)}
      </p>
      {result.outcome === 'redacted' && <p class="tried-text">{result.text_sent}</p>}
    </>
  )
}

/** The name of a rule: `content_filters[0]` becomes its pattern. */
function ruleName(rule: string, policy: Policy): string {
  const [, slug] = rule.split('.')
  if (slug) return builtinFilterNames[slug as keyof typeof builtinFilterNames]
  const index = Number(/\d+/.exec(rule)?.[0])
  return policy.content_filters?.[index]?.pattern ?? `pattern ${index + 1}`
}
