import { builtinFilterNames } from '../components/policy/policy-description.ts'
import type { EditorProps, Policy } from './policy.ts'

type Builtin = NonNullable<Policy['content_filter_builtins']>[number]
type Pattern = NonNullable<Policy['content_filters']>[number]

function ActionSelect<Value extends string>(props: {
  label: string
  value: Value
  none?: string
  onChange: (to: Value) => void
}) {
  const { label, value, none, onChange } = props
  return (
    <select aria-label={label} value={value} onChange={(event) => onChange(event.currentTarget.value as Value)}>
      {none !== undefined && <option value="">{none}</option>}
      <option value="flag">Flag</option>
      <option value="redact">Redact</option>
      <option value="block">Block</option>
    </select>
  )
}

/** The built-in detectors and their actions. */
export function Builtins({ policy, onChange }: EditorProps) {
  const builtins = policy.content_filter_builtins ?? []
  const setAction = (slug: Builtin['slug'], action: Builtin['action'] | '') => {
    const previous = builtins.find((one) => one.slug === slug)
    const others = builtins.filter((one) => one.slug !== slug)
    // The service assigns the label of a detector, which the type requires.
    const all = action === '' ? others : [...others, { label: '', ...previous, slug, action }]
    onChange({ ...policy, content_filter_builtins: all.length > 0 ? all : null })
  }
  return (
    <fieldset class="guardrail-builtins">
      <legend>Detectors</legend>
      {(Object.keys(builtinFilterNames) as Builtin['slug'][]).map((slug) => (
        <div key={slug}>
          <span>{builtinFilterNames[slug]}</span>
          <ActionSelect<Builtin['action'] | ''>
            label={builtinFilterNames[slug]}
            none="Allow"
            value={builtins.find((one) => one.slug === slug)?.action ?? ''}
            onChange={(action) => setAction(slug, action)}
          />
        </div>
      ))}
    </fieldset>
  )
}

/** Custom patterns, in order. */
export function Patterns({ policy, onChange }: EditorProps) {
  const all = policy.content_filters ?? []
  const replace = (filters: Pattern[]) => onChange({ ...policy, content_filters: filters.length > 0 ? filters : null })
  const changePattern = (index: number, part: Partial<Pattern>) =>
    replace(all.map((one, at) => (at === index ? { ...one, ...part } : one)))
  return (
    <fieldset class="guardrail-patterns">
      <legend>Custom patterns</legend>
      {all.map((filter, index) => (
        <div key={index}>
          <input
            class="mono"
            aria-label={`Pattern ${index + 1}`}
            value={filter.pattern}
            onInput={(event) => changePattern(index, { pattern: event.currentTarget.value })}
          />
          <ActionSelect<Pattern['action']>
            label={`Action for pattern ${index + 1}`}
            value={filter.action}
            onChange={(action) => changePattern(index, { action })}
          />
          <button
            type="button"
            class="bare"
            aria-label={`Remove pattern ${index + 1}`}
            onClick={() => replace(all.filter((_, at) => at !== index))}
          >
            ✕
          </button>
        </div>
      ))}
      <button type="button" onClick={() => replace([...all, { pattern: '', action: 'block' }])}>
        Add pattern
      </button>
    </fieldset>
  )
}
