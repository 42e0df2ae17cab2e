import { ModelPicker } from '../../components/form/model-picker.tsx'
import { type InternFields, isAmount, limitLabels, limitNames } from './intern-fields.ts'

type Props = { fields: InternFields; onChange: (change: Partial<InternFields>) => void }

/** The inputs of an intern. */
export function InternInputs({ fields, onChange }: Props) {
  return (
    <>
      <label>
        Name
        <input
          required
          minLength={2}
          maxLength={17}
          pattern="[a-z][a-z0-9]*(-[a-z0-9]+)*"
          title="Lowercase letters and digits, separated by single hyphens, starting with a letter"
          autocomplete="off"
          placeholder="ada"
          value={fields.name}
          onInput={(event) => onChange({ name: event.currentTarget.value })}
        />
      </label>
      <Mode fields={fields} onChange={onChange} />
      <ModelPicker
        label="Model (none: default of the service)"
        models={fields.model === '' ? [] : [fields.model]}
        // A model that is added replaces the only one.
        onChange={(models) => onChange({ model: models.at(-1) ?? '' })}
      />
      <label>
        Instructions for every session
        <textarea
          rows={4}
          maxLength={32_000}
          value={fields.instructions}
          onInput={(event) => onChange({ instructions: event.currentTarget.value })}
        />
      </label>
      <Budget fields={fields} onChange={onChange} />
      <label>
        Visible to
        <select
          value={fields.visibility}
          onChange={(event) => onChange({ visibility: event.currentTarget.value as InternFields['visibility'] })}
        >
          <option value="creator">you</option>
          <option value="workspace">
            all members of the workspace, who can also send prompts and answer questions
          </option>
        </select>
      </label>
      <label>
        Description
        <input
          maxLength={1000}
          autocomplete="off"
          value={fields.description}
          onInput={(event) => onChange({ description: event.currentTarget.value })}
        />
      </label>
    </>
  )
}

const modes = [
  ['manual', 'Manual: it asks before it acts, and its commands run in a sandbox.'],
  ['self-drive', 'Self-drive: it acts without asking, and its commands run without a sandbox by default.'],
] as const

function Mode({ fields: { mode }, onChange }: Props) {
  return (
    <fieldset class="modes">
      <legend>Approval mode</legend>
      {modes.map(([value, text]) => (
        <label key={value}>
          <input
            type="radio"
            name="mode"
            required
            checked={mode === value}
            value={value}
            onChange={() => onChange({ mode: value })}
          />
          {text}
        </label>
      ))}
    </fieldset>
  )
}

function Budget({ fields: { limits }, onChange }: Props) {
  return (
    <fieldset class="limits">
      <legend>Budget (empty: no limit)</legend>
      {limitNames.map((name) => (
        <label key={name}>
          {limitLabels[name]}
          <input
            type="number"
            min={isAmount(name) ? '0.000001' : '1'}
            step={isAmount(name) ? 'any' : '1'}
            inputMode={isAmount(name) ? 'decimal' : 'numeric'}
            value={limits[name]}
            onInput={(event) => onChange({ limits: { ...limits, [name]: event.currentTarget.value } })}
          />
        </label>
      ))}
    </fieldset>
  )
}
