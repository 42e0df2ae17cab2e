import { useState } from 'preact/hooks'
import { call } from '../api/client.ts'
import { useSession } from '../api/session.ts'
import type { Key, KeyPatch } from '../api/types.ts'
import { DeleteNamed } from '../components/delete-named.tsx'
import { Dialog } from '../components/dialog.tsx'
import { FormActions } from '../components/form-actions.tsx'
import { toast } from '../components/toast.tsx'
import { runOrToast, useAction } from '../components/use-action.ts'
import { fieldsOf, patchOf, undoOf } from './key-fields.ts'
import { KeyInputs } from './key-inputs.tsx'
import { editableKeyFields } from './permissions.ts'

type Props = { of: Key; onChanged: () => void; onClose: () => void }

/** Changes or deletes a key. Changes can be undone. */
export function ChangeKey({ of: key, onChanged, onClose }: Props) {
  const before = fieldsOf(key)
  const [fields, setFields] = useState(before)
  const { problem, isBusy, act } = useAction()
  const onlyName = editableKeyFields(useSession(), key) === 'some'
  const patch = patchOf(before, fields)
  const isSame = Object.keys(patch).length === 0
  const params = { hash: key.hash }
  const save = async (body: KeyPatch) => {
    await call('PATCH /keys/{hash}', { params, body })
    onChanged()
  }
  const submit = (event: Event) => {
    event.preventDefault()
    void act(async () => {
      await save(patch)
      onClose()
      // Developers can disable a key, but not enable it again.
      const isFinal = onlyName && patch.disabled
      toast(`${key.name} updated`, isFinal ? {} : { undo: () => void runOrToast(() => save(undoOf(patch, key))) })
    })
  }
  const remove = async () => {
    await call('DELETE /keys/{hash}', { params })
    onChanged()
    onClose()
    toast(`${key.name} deleted`)
  }
  return (
    <Dialog title={`Change ${key.name}`} onClose={onClose}>
      <h2>{key.name}</h2>
      <form class="fields" onSubmit={submit}>
        <KeyInputs fields={fields} set={(change) => setFields({ ...fields, ...change })} onlyName={onlyName} />
        <label class="check">
          <input
            type="checkbox"
            checked={fields.disabled}
            onChange={(event) => setFields({ ...fields, disabled: event.currentTarget.checked })}
          />
          Disabled: its requests are rejected{onlyName && ', until an admin enables it'}
        </label>
        <FormActions problem={problem} label="Save" disabled={isBusy || isSame} onClose={onClose} />
      </form>
      <DeleteNamed name={key.name} verb="delete" act={remove} />
    </Dialog>
  )
}
