import { useState } from 'preact/hooks'
import { call } from '../../api/client.ts'
import { ConfirmDeleteByName } from '../../components/form/confirm-delete-by-name.tsx'
import { FormDialog } from '../../components/form/form-dialog.tsx'
import { runOrToast } from '../../components/form/use-action.ts'
import { toast } from '../../components/page/toast.tsx'
import { escapeInvisible } from '../visible-text.ts'

type Props = { internId: string; path: string; isFolder: boolean; onDone: () => void; onClose: () => void }

/** A dialog that renames, moves or deletes a file or a folder. */
export function ChangeFile({ internId, path, isFolder, onDone, onClose }: Props) {
  const [to, setTo] = useState(path)
  const params = { internId }
  const name = path.split('/').at(-1)!
  const rename = async (from: string, to: string) => {
    await call('POST /interns/{internId}/files/rename', { params, body: { from, to } })
    onDone()
  }
  const submit = async () => {
    await rename(path, to)
    onClose()
    toast(`${escapeInvisible(name)} renamed to ${escapeInvisible(to)}`, {
      undo: () => void runOrToast(() => rename(to, path)),
    })
  }
  const remove = async () => {
    const query = { path, recursive: isFolder ? ('true' as const) : undefined }
    await call('DELETE /interns/{internId}/files', { params, query })
    onDone()
    onClose()
    toast(`${escapeInvisible(name)} deleted`)
  }
  return (
    <FormDialog
      title={`Change ${escapeInvisible(name)}`}
      label="Rename"
      isDisabled={to === path || to === ''}
      onSubmit={submit}
      onClose={onClose}
      below={
        <>
          {isFolder && <p class="data-loss">Its content is also deleted.</p>}
          <ConfirmDeleteByName name={escapeInvisible(name)} verb="delete" onConfirm={remove} />
        </>
      }
    >
      <label>
        Path, relative to the workspace
        <input class="mono" required value={to} onInput={(event) => setTo(event.currentTarget.value)} />
      </label>
    </FormDialog>
  )
}
