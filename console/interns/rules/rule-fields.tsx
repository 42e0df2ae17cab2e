import type { InternRule } from '../../api/types.ts'
import { type Effect, effects } from './rule-words.ts'

type Props = { rule: InternRule; onChange: (rule: InternRule) => void }
type ListField = 'commands' | 'tools' | 'paths' | 'hosts' | 'agents'

/** The list fields with example values. */
const listFields: [ListField, string, string][] = [
  ['commands', 'Commands', 'git push, npm test, git log **'],
  ['tools', 'Tools', 'shell, edit, fetch'],
  ['paths', 'Files', 'src/**, **/*.pem'],
  ['hosts', 'Hosts', 'example.com, *.internal.example'],
  ['agents', 'Agents', 'builtin, codex'],
]

/** The form of a rule. Lists have one item per line, or are separated by commas. */
export function RuleFields({ rule, onChange }: Props) {
  const update = (part: Partial<InternRule>) => onChange(withoutEmpty({ ...rule, ...part }))
  return (
    <div class="rule-fields">
      <label>
        <span>Effect</span>
        <select value={rule.effect} onChange={(event) => update({ effect: event.currentTarget.value as Effect })}>
          {Object.entries(effects).map(([effect, label]) => (
            <option key={effect} value={effect}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <label>
        <span>Name</span>
        <input
          defaultValue={rule.name}
          placeholder="Display name"
          onInput={(event) => update({ name: event.currentTarget.value.trim() })}
        />
      </label>
      {listFields.map(([field, label, placeholder]) => (
        <label key={field}>
          <span>{label}</span>
          <textarea
            class="mono"
            rows={Math.max(1, rule[field]?.length ?? 0)}
            placeholder={placeholder}
            defaultValue={rule[field]?.join('\n')}
            onInput={(event) => update({ [field]: parseItems(event.currentTarget.value) })}
          />
        </label>
      ))}
      {rule.effect !== 'allow' && (
        <label class="rule-unclear">
          <input
            type="checkbox"
            checked={rule.unclear === true}
            onChange={(event) => update({ unclear: event.currentTarget.checked || undefined } as Partial<InternRule>)}
          />
          Only commands that cannot be parsed reliably
        </label>
      )}
    </div>
  )
}

const parseItems = (text: string) =>
  text
    .split(/[\n,]+/)
    .map((item) => item.trim())
    .filter(Boolean)

/** Removes empty fields. `unclear` is not allowed in rules that allow. */
function withoutEmpty({ unclear, ...rule }: InternRule): InternRule {
  const filledFields = Object.entries(rule).filter(([, value]) => value !== undefined && value.length > 0)
  return {
    ...(Object.fromEntries(filledFields) as unknown as InternRule),
    ...(unclear && rule.effect !== 'allow' && { unclear }),
  }
}
