import type { KeyFields } from './key-fields.ts'

type Props = { fields: KeyFields; set: (change: Partial<KeyFields>) => void; onlyName: boolean }

/** The fields of a key. @param onlyName for who may change nothing else of it. */
export function KeyInputs({ fields, set, onlyName }: Props) {
  return (
    <>
      <label>
        Name
        <input
          required
          maxLength={100}
          autocomplete="off"
          value={fields.name}
          onInput={(event) => set({ name: event.currentTarget.value })}
        />
      </label>
      {!onlyName && <Limits fields={fields} set={set} />}
    </>
  )
}

function Limits({ fields, set }: Omit<Props, 'onlyName'>) {
  return (
    <>
      <label>
        Limit in USD, empty for none
        <input
          type="number"
          min="0"
          step="any"
          inputMode="decimal"
          value={fields.limit}
          onInput={(event) => set({ limit: event.currentTarget.value })}
        />
      </label>
      <label>
        The limit holds
        <select
          value={fields.reset}
          disabled={fields.limit === ''}
          onChange={(event) => set({ reset: event.currentTarget.value })}
        >
          <option value="">in all</option>
          <option value="daily">for a day</option>
          <option value="weekly">for a week</option>
          <option value="monthly">for a month</option>
        </select>
      </label>
      <label>
        Last day, empty for never
        <input type="date" value={fields.ends} onInput={(event) => set({ ends: event.currentTarget.value })} />
      </label>
    </>
  )
}
