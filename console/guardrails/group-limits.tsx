import { useState } from 'preact/hooks'
import type { EditorProps, Policy } from './policy.ts'

type GroupLimit = NonNullable<Policy['group_limits']>[number]

/** The limits for each session and for each value of a tag. */
export function GroupLimits({ policy, onChange }: EditorProps) {
  const all = policy.group_limits ?? []
  const replace = (limits: GroupLimit[]) => onChange({ ...policy, group_limits: limits.length > 0 ? limits : null })
  const changeLimit = (index: number, part: Partial<GroupLimit>) =>
    replace(all.map((one, at) => (at === index ? { ...one, ...part } : one)))
  /** Changes when the inputs, which are uncontrolled, must be filled again. */
  const [removals, setRemovals] = useState(0)
  const hasSession = all.some(({ by }) => by === 'session')
  const add = (by: GroupLimit['by']) =>
    replace([...all, { by, tag_name: by === 'tag' ? '' : null, limit_usd: 1, reset_interval: null }])
  return (
    <fieldset class="guardrail-groups">
      <legend>Limits for each session or tag</legend>
      {all.map((limit, index) => (
        <GroupLimitFields
          key={`${removals} ${index}`}
          limit={limit}
          index={index}
          onChange={(part) => changeLimit(index, part)}
          onRemove={() => {
            setRemovals(removals + 1)
            replace(all.filter((_, at) => at !== index))
          }}
        />
      ))}
      <div class="toolbar">
        <button type="button" disabled={hasSession} onClick={() => add('session')}>
          Add limit per session
        </button>
        <button type="button" onClick={() => add('tag')}>
          Add limit per tag value
        </button>
      </div>
    </fieldset>
  )
}

type FieldsProps = {
  limit: GroupLimit
  index: number
  onChange: (part: Partial<GroupLimit>) => void
  onRemove: () => void
}

function GroupLimitFields({
  limit: { by, tag_name, limit_usd, reset_interval },
  index,
  onChange,
  onRemove,
}: FieldsProps) {
  const name = by === 'session' ? 'each session' : `tag limit ${index + 1}`
  return (
    <div>
      {by === 'session' ? (
        <span>Each session, USD</span>
      ) : (
        <label class="guardrail-inline">
          <span>Each value of</span>
          <input
            required
            maxLength={64}
            placeholder="customer"
            aria-label={`Tag name, ${name}`}
            defaultValue={tag_name ?? ''}
            onInput={(event) => onChange({ tag_name: event.currentTarget.value })}
          />
        </label>
      )}
      {by === 'tag' && <span>USD</span>}
      <input
        required
        type="number"
        min="0"
        step="any"
        aria-label={`USD, ${name}`}
        defaultValue={limit_usd}
        onInput={(event) => onChange({ limit_usd: Number(event.currentTarget.value) })}
      />
      <select
        aria-label={`Resets, ${name}`}
        value={reset_interval ?? ''}
        onChange={(event) =>
          onChange({ reset_interval: (event.currentTarget.value || null) as GroupLimit['reset_interval'] })
        }
      >
        <option value="">in total</option>
        <option value="daily">per day</option>
        <option value="weekly">per week</option>
        <option value="monthly">per month</option>
      </select>
      <button type="button" class="bare" aria-label={`Remove the limit, ${name}`} onClick={onRemove}>
        ✕
      </button>
    </div>
  )
}
