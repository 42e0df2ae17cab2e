import type { ComponentChildren } from 'preact'
import { maxDay } from '../../format/time.ts'
import type { KeyFields } from './key-fields.ts'

type Props = {
  fields: KeyFields
  onChange: (change: Partial<KeyFields>) => void
  /** Whether the limit and the expiry can be set. */
  hasLimits: boolean
  /** Fields between the name and the limit. */
  children?: ComponentChildren
}

/** The inputs of a key. */
export function KeyInputs({ fields, onChange, hasLimits, children }: Props) {
  return (
    <>
      <label>
        Name
        <input
          required
          maxLength={100}
          autocomplete="off"
          value={fields.name}
          onInput={(event) => onChange({ name: event.currentTarget.value })}
        />
      </label>
      {children}
      {hasLimits && <Limits fields={fields} onChange={onChange} />}
    </>
  )
}

function Limits({ fields, onChange }: Pick<Props, 'fields' | 'onChange'>) {
  return (
    <>
      <label>
        Limit in USD (empty: no limit)
        <input
          type="number"
          min="0"
          step="any"
          inputMode="decimal"
          value={fields.limit}
          onInput={(event) => onChange({ limit: event.currentTarget.value })}
        />
      </label>
      <label>
        Resets
        <select
          value={fields.reset}
          disabled={fields.limit === ''}
          onChange={(event) => onChange({ reset: event.currentTarget.value })}
        >
          <option value="">never</option>
          <option value="daily">daily</option>
          <option value="weekly">weekly</option>
          <option value="monthly">monthly</option>
        </select>
      </label>
      <label>
        Expires (empty: never)
        <input
          type="date"
          max={maxDay}
          value={fields.expires}
          onInput={(event) => onChange({ expires: event.currentTarget.value })}
        />
      </label>
    </>
  )
}
