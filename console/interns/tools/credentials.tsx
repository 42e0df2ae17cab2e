import { onFirstClick } from '../../components/form/double-click.ts'
import type { Credential } from './server-fields.ts'

type Props = { label: string; credentials: Credential[]; change: (credentials: Credential[]) => void }

/** Names and values of credentials. Stored values are never displayed. */
export function Credentials({ label, credentials, change }: Props) {
  const set = (at: number, part: Partial<Credential>) => change(credentials.with(at, { ...credentials[at]!, ...part }))
  return (
    <fieldset class="credentials">
      <legend>Credentials (stored encrypted)</legend>
      {credentials.map(({ name, value, isStored }, at) => (
        <div key={at}>
          <input
            class="mono"
            aria-label={`Name of ${label} ${at + 1}`}
            placeholder={label}
            readOnly={isStored}
            value={name}
            onInput={(event) => set(at, { name: event.currentTarget.value })}
          />
          <input
            type="password"
            autocomplete="new-password"
            aria-label={`Value of ${name || `${label} ${at + 1}`}`}
            placeholder={isStored ? 'unchanged' : 'value'}
            required={!isStored}
            value={value}
            onInput={(event) => set(at, { value: event.currentTarget.value })}
          />
          <button
            type="button"
            class="bare"
            aria-label={`Remove ${name || `${label} ${at + 1}`}`}
            onClick={onFirstClick(() => change(credentials.toSpliced(at, 1)))}
          >
            ✕
          </button>
        </div>
      ))}
      <button type="button" onClick={() => change([...credentials, { name: '', value: '', isStored: false }])}>
        Add {label}
      </button>
    </fieldset>
  )
}
