import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { call } from '../api/client.ts'
import { invalidate } from '../api/resource.ts'
import type { Intern } from '../api/types.ts'
import { DeleteNamed } from '../components/delete-named.tsx'
import { Dialog } from '../components/dialog.tsx'
import { FormActions } from '../components/form-actions.tsx'
import { toast } from '../components/toast.tsx'
import { useAction } from '../components/use-action.ts'
import { fieldsOf, needsRestart, patchOf } from './intern-fields.ts'
import { InternInputs } from './intern-inputs.tsx'

type Props = { intern: Intern; after: () => void; onClose: () => void }

/** Changes an intern. Only changed fields are sent. */
export function ChangeIntern({ intern, after, onClose }: Props) {
  const [before] = useState(() => fieldsOf(intern))
  const [fields, setFields] = useState(before)
  const { problem, isBusy, act } = useAction()
  const submit = (event: Event) => {
    event.preventDefault()
    void act(async () => {
      const body = patchOf(before, fields)
      if (Object.keys(body).length > 0) {
        await call('PATCH /interns/{internId}', { params: { internId: intern.id }, body })
        toast(`${fields.name} updated${needsRestart(body) ? '. Takes effect at the next start' : ''}`)
      }
      onClose()
      after()
    })
  }
  return (
    <Dialog title={`Change ${intern.name}`} onClose={onClose}>
      <h2>Change {intern.name}</h2>
      <form class="fields" onSubmit={submit}>
        <InternInputs fields={fields} set={(change) => setFields({ ...fields, ...change })} />
        <FormActions problem={problem} label="Save" disabled={isBusy} onClose={onClose} />
      </form>
    </Dialog>
  )
}

/** The states in which the service deletes an intern. */
export const isDeletable = ({ status }: Intern) => ['running', 'failed', 'stopped', 'destroy_failed'].includes(status)

/** Deletes an intern with its files and sessions. */
export function DeleteIntern({ intern, onClose }: Omit<Props, 'after'>) {
  const { route } = useLocation()
  const remove = async () => {
    const params = { internId: intern.id }
    await call('DELETE /interns/{internId}', { params, body: { acknowledge_workspace_loss: true } })
    invalidate('interns')
    onClose()
    route('/interns', true)
    toast(`${intern.name} is being deleted`)
  }
  return (
    <Dialog title={`Delete ${intern.name}`} onClose={onClose}>
      <h2>Delete {intern.name}</h2>
      <p>Its files, sessions and history are deleted. Its requests stay in the request log.</p>
      <DeleteNamed name={intern.name} verb="delete" act={remove} />
    </Dialog>
  )
}
