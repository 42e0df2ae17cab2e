import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { call } from '../../api/client.ts'
import { FormDialog } from '../../components/form/form-dialog.tsx'
import { emptyIntern, parseFields } from './intern-fields.ts'
import { InternInputs } from './intern-inputs.tsx'

/** A dialog that creates an intern and opens its page. */
export function CreateIntern({ onClose }: { onClose: () => void }) {
  const [fields, setFields] = useState(emptyIntern)
  const [isStarted, setStarted] = useState(true)
  const { route } = useLocation()
  const submit = async () => {
    const { id } = await call('POST /interns', { body: { ...parseFields(fields), provision: isStarted } })
    onClose()
    route(`/interns/${id}${isStarted ? '' : '?part=tools'}`)
  }
  return (
    <FormDialog title="Create intern" label="Create" onSubmit={submit} onClose={onClose}>
      <InternInputs fields={fields} onChange={(change) => setFields({ ...fields, ...change })} />
      <label class="check">
        <input type="checkbox" checked={isStarted} onChange={(event) => setStarted(event.currentTarget.checked)} />
        Start now
      </label>
      <p class="dim">Set tools, web pages and rules on the page of the intern. They apply from its next start.</p>
    </FormDialog>
  )
}
