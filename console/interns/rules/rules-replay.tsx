import { useState } from 'preact/hooks'
import { useResource } from '../../api/resource.ts'
import type { InternRule, InternRulesReplay } from '../../api/types.ts'
import { ReplayFrame } from '../../components/policy/replay-frame.tsx'
import { useDebounced } from '../../components/window/use-debounced.ts'
import { countText, exactCount } from '../../format/count.ts'
import { dayMs } from '../../format/time.ts'
import { escapeInvisible } from '../visible-text.ts'
import { ReplayedQuestions } from './replayed-questions.tsx'
import { type RulesOwner, rulesApi } from './rules-owner.ts'

/** The time ranges, in days. */
const spanDays = { '24 hours': 1, '7 days': 7, '30 days': 30, '92 days': 92 }
type Span = keyof typeof spanDays
const spanNames = Object.keys(spanDays) as Span[]
const maxListedQuestions = 200

/** A replay of past questions with the saved rules, and with the unsaved changes. */
export function RulesReplay({ owner, version, draft }: { owner: RulesOwner; version: number; draft?: InternRule[] }) {
  const [span, setSpan] = useState<Span>('30 days')
  // Undefined until the first draft has stayed the same for a while.
  const debouncedDraft = useDebounced(JSON.stringify(draft))
  const savedReplay = useReplay(owner, span, `at ${version}`, undefined)
  const draftReplay = useReplay(
    owner,
    span,
    draft && debouncedDraft,
    draft && debouncedDraft ? JSON.parse(debouncedDraft) : undefined,
  )
  const failure = draftReplay.failure ?? savedReplay.failure
  const replay = draft && !draftReplay.failure ? draftReplay.data : undefined
  return (
    <ReplayFrame
      title="Replay"
      spans={spanNames}
      span={span}
      onChange={setSpan}
      isLoading={savedReplay.isLoading || draftReplay.isLoading}
      problem={failure?.message}
    >
      {savedReplay.data && <Figures before={savedReplay.data} after={replay} />}
    </ReplayFrame>
  )
}

/** @param key undefined disables the request. */
function useReplay(owner: RulesOwner, span: Span, key: string | undefined, rules: InternRule[] | undefined) {
  return useResource(key && `replay of ${owner.id} ${span} ${key}`, async (signal) => {
    const from = new Date(Date.now() - spanDays[span] * dayMs).toISOString()
    return (await rulesApi(owner).replay({ from, list: maxListedQuestions, rules }, { signal })).data
  })
}

const totals = [
  ['allowed', 'would_allow'],
  ['asked', 'would_ask'],
  ['denied', 'would_deny'],
  ['no matching rule', 'no_rule'],
] as const

function Figures({ before, after }: { before: InternRulesReplay; after: InternRulesReplay | undefined }) {
  const replay = after ?? before
  if (before.all.questions === 0) return <p class="dim">No permission questions in this time range.</p>
  return (
    <>
      <p>{replay.summary}</p>
      <table class="plain-table" aria-label="Replay of past questions">
        <thead>
          <tr>
            <td />
            {['without changes', ...(after ? ['with changes'] : []), 'allowed by members', 'rejected by members'].map(
              (column) => (
                <th key={column} scope="col" class="number">
                  {column}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {totals.map(([label, field]) => (
            <tr key={field}>
              <th scope="row">{label}</th>
              <td class="number">{exactCount(before[field].questions)}</td>
              {after && <td class="number">{exactCount(after[field].questions)}</td>}
              <td class="number">{exactCount(replay[field].people_allowed)}</td>
              <td class="number">{exactCount(replay[field].people_rejected)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {replay.by_rule.length > 0 && <h3>By rule</h3>}
      <ul class="rules-parts">
        {replay.by_rule.map(({ scope, rule, effect, name, questions }) => (
          <li key={`${scope} ${rule} ${effect}`}>
            {scope} rule {rule} {name && <b>{escapeInvisible(name)}</b>} <span class="dim">{effectWords[effect]}</span>{' '}
            {countText(questions, 'question')}
          </li>
        ))}
      </ul>
      <ReplayedQuestions replay={replay} />
      <details>
        <summary>Notes</summary>
        <ul>
          {replay.notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      </details>
    </>
  )
}

const effectWords = { allow: 'allows', ask: 'asks', deny: 'denies' }
