import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { call } from '../../api/client.ts'
import { Dialog } from '../../components/form/dialog.tsx'
import { FormActions } from '../../components/form/form-actions.tsx'
import { useAction } from '../../components/form/use-action.ts'
import { emptyIntern, parseFields } from './intern-fields.ts'
import { InternInputs } from './intern-inputs.tsx'

/** A dialog that creates an intern and opens its page. */
export function CreateIntern({ onClose }: { onClose: () => void }) {
  const [fields, setFields] = useState(emptyIntern)
  const [isStarted, setStarted] = useState(true)
  const { problem, isBusy, onSubmit } = useAction()
  const { route } = useLocation()
  const submit = onSubmit(async () => {
    const { id } = await call('POST /interns', { body: { ...parseFields(fields), provision: isStarted } })
    onClose()
    route(`/interns/${id}${isStarted ? '' : '?part=tools'}`)
  })
  return (
    <Dialog title="Create intern" onClose={onClose}>
      <h2>Create intern</h2>
      <form class="fields" onSubmit={submit}>
        <InternInputs fields={fields} onChange={(change) => setFields({ ...fields, ...change })} />
        <label class="check">
          <input type="checkbox" checked={isStarted} onChange={(event) => setStarted(event.currentTarget.checked)} />
          Start it now
        </label>
        <p class="dim">Tools, web pages and rules are set on its page, and apply from its next start on.</p>
        <FormActions problem={problem} label="Create" disabled={isBusy} onClose={onClose} />
      </form>
    </Dialog>
  )
}
