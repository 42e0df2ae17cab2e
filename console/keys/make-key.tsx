import { useState } from 'preact/hooks'
import { call } from '../api/client.ts'
import { useActing } from '../pieces/acting.ts'
import { Dialog } from '../pieces/dialog.tsx'
import { emptyFields, meant } from './key-fields.ts'
import { KeyInputs } from './key-inputs.tsx'
import { useMe } from './listing.tsx'

type Props = { onMade: (name: string, secret: string) => void; onClose: () => void }

/** Makes a key for oneself. */
export function MakeKey({ onMade, onClose }: Props) {
  const [fields, setFields] = useState(emptyFields)
  const [kind, setKind] = useState<'api' | 'management'>('api')
  const { problem, isBusy, act } = useActing()
  const submit = (event: Event) => {
    event.preventDefault()
    const { disabled: _, ...body } = meant(fields)
    void act(async () => onMade(body.name, (await call('POST /keys', { body: { ...body, kind } })).key))
  }
  return (
    <Dialog title="Make a key" onClose={onClose}>
      <h2>Make a key</h2>
      <form class="fields" onSubmit={submit}>
        <KeyInputs fields={fields} set={(change) => setFields({ ...fields, ...change })} onlyName={false} />
        {useMe()?.role === 'owner' && (
          <label>
            It may
            <select
              value={kind}
              onChange={(event) => setKind(event.currentTarget.value === 'api' ? 'api' : 'management')}
            >
              <option value="api">use models</option>
              <option value="management">manage everything, as an owner</option>
            </select>
          </label>
        )}
        {problem && (
          <p class="bad" role="alert">
            {problem}
          </p>
        )}
        <div class="actions">
          <button type="submit" class="main" disabled={isBusy}>
            Make it
          </button>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  )
}
