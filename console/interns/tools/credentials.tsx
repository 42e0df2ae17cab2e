import { onFirstClick } from '../../components/form/double-click.ts'
import type { Credential } from './server-fields.ts'

type Props = { label: string; credentials: Credential[]; onChange: (credentials: Credential[]) => void }

/** Names and values of credentials. Stored values are never displayed. */
export function Credentials({ label, credentials, onChange }: Props) {
  const update = (index: number, part: Partial<Credential>) =>
    onChange(credentials.with(index, { ...credentials[index]!, ...part }))
  return (
    <fieldset class="credentials">
      <legend>Credentials (stored encrypted)</legend>
      {credentials.map(({ name, value, isStored }, index) => (
        <div key={index}>
          <input
            class="mono"
            aria-label={`Name of ${label} ${index + 1}`}
            placeholder={label}
            readOnly={isStored}
            value={name}
            onInput={(event) => update(index, { name: event.currentTarget.value })}
          />
          <input
            type="password"
            autocomplete="new-password"
            aria-label={`Value of ${name || `${label} ${index + 1}`}`}
            placeholder={isStored ? 'unchanged' : 'value'}
            required={!isStored}
            value={value}
            onInput={(event) => update(index, { value: event.currentTarget.value })}
          />
          <button
            type="button"
            class="bare"
            aria-label={`Remove ${name || `${label} ${index + 1}`}`}
            onClick={onFirstClick(() => onChange(credentials.toSpliced(index, 1)))}
          >
            ✕
          </button>
        </div>
      ))}
      <button type="button" onClick={() => onChange([...credentials, { name: '', value: '', isStored: false }])}>
        Add {label}
      </button>
    </fieldset>
  )
}
