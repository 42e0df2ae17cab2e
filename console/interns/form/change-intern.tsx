import { useLocation } from 'preact-iso/router'
import { call } from '../../api/client.ts'
import { invalidate } from '../../api/resource.ts'
import type { Intern } from '../../api/types.ts'
import { ConfirmDeleteByName } from '../../components/form/confirm-delete-by-name.tsx'
import { Dialog } from '../../components/form/dialog.tsx'
import { FormDialog } from '../../components/form/form-dialog.tsx'
import { useObjectForm } from '../../components/form/object-form.ts'
import { toast } from '../../components/page/toast.tsx'
import { fieldsOf, needsRestart, patchOf } from './intern-fields.ts'
import { InternInputs } from './intern-inputs.tsx'

type Props = { intern: Intern; onDone: () => void; onClose: () => void }

/** A dialog that changes an intern. Only changed fields are sent. */
export function ChangeIntern({ intern, onDone, onClose }: Props) {
  const params = { internId: intern.id }
  const load = () => call('GET /interns/{internId}', { params })
  const { loaded, fields, setFields, saveIfUnmodified, conflict } = useObjectForm(intern, load, fieldsOf)
  const submit = async () => {
    const body = patchOf(loaded, fields)
    const isSaved = await saveIfUnmodified(async (options) => {
      if (Object.keys(body).length === 0) return
      await call('PATCH /interns/{internId}', { params, body }, options)
      toast(`${fields.name} updated${needsRestart(body) ? '. Takes effect at the next start' : ''}`)
    })
    if (!isSaved) return
    onClose()
    onDone()
  }
  return (
    <FormDialog
      title={`Change ${intern.name}`}
      label="Save"
      conflict={conflict && { name: intern.name, ...conflict }}
      onSubmit={submit}
      onClose={onClose}
    >
      <InternInputs fields={fields} onChange={(change) => setFields({ ...fields, ...change })} />
    </FormDialog>
  )
}

/** The states in which the service deletes an intern. */
export const isDeletable = ({ status }: Intern) => ['running', 'failed', 'stopped', 'destroy_failed'].includes(status)

/** A dialog that deletes an intern with its files and sessions. */
export function DeleteIntern({ intern, onClose }: Omit<Props, 'onDone'>) {
  const { route } = useLocation()
  const remove = async () => {
    const params = { internId: intern.id }
    await call('DELETE /interns/{internId}', { params, body: {} })
    invalidate('interns')
    onClose()
    route('/interns', true)
    toast(`${intern.name} is being deleted`)
  }
  return (
    <Dialog title={`Delete ${intern.name}`} onClose={onClose}>
      <h2>Delete {intern.name}</h2>
      <p>Its files, sessions and history are deleted. Its requests stay in the request log.</p>
      <ConfirmDeleteByName name={intern.name} verb="delete" onConfirm={remove} />
    </Dialog>
  )
}
