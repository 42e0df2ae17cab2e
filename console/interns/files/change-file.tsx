import { useState } from 'preact/hooks'
import { call } from '../../api/client.ts'
import { ConfirmDeleteByName } from '../../components/form/confirm-delete-by-name.tsx'
import { Dialog } from '../../components/form/dialog.tsx'
import { FormActions } from '../../components/form/form-actions.tsx'
import { runOrToast, useAction } from '../../components/form/use-action.ts'
import { toast } from '../../components/page/toast.tsx'
import { escapeInvisible } from '../visible-text.ts'

type Props = { internId: string; path: string; isFolder: boolean; onDone: () => void; onClose: () => void }

/** A dialog that renames, moves or deletes a file or a folder. */
export function ChangeFile({ internId, path, isFolder, onDone, onClose }: Props) {
  const [to, setTo] = useState(path)
  const { problem, isBusy, onSubmit } = useAction()
  const params = { internId }
  const name = path.split('/').at(-1)!
  const rename = async (from: string, to: string) => {
    await call('POST /interns/{internId}/files/rename', { params, body: { from, to } })
    onDone()
  }
  const submit = onSubmit(async () => {
    await rename(path, to)
    onClose()
    toast(`${escapeInvisible(name)} renamed to ${escapeInvisible(to)}`, {
      undo: () => void runOrToast(() => rename(to, path)),
    })
  })
  const remove = async () => {
    const query = { path, recursive: isFolder ? ('true' as const) : undefined }
    await call('DELETE /interns/{internId}/files', { params, query })
    onDone()
    onClose()
    toast(`${escapeInvisible(name)} deleted`)
  }
  return (
    <Dialog title={`Change ${escapeInvisible(name)}`} onClose={onClose}>
      <h2>Change {escapeInvisible(name)}</h2>
      <form class="fields" onSubmit={submit}>
        <label>
          Path, relative to the workspace
          <input class="mono" required value={to} onInput={(event) => setTo(event.currentTarget.value)} />
        </label>
        <FormActions problem={problem} label="Rename" disabled={isBusy || to === path || to === ''} onClose={onClose} />
      </form>
      {isFolder && <p class="data-loss">Its content is also deleted.</p>}
      <ConfirmDeleteByName name={escapeInvisible(name)} verb="delete" onConfirm={remove} />
    </Dialog>
  )
}
