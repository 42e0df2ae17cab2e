import { call } from '../../api/client.ts'
import { invalidate } from '../../api/resource.ts'
import type { Workspace } from '../../api/types.ts'
import { ConfirmDeleteByName } from '../../components/form/confirm-delete-by-name.tsx'
import { Dialog } from '../../components/form/dialog.tsx'
import { toast } from '../../components/page/toast.tsx'
import { countText } from '../../format/count.ts'

/** A dialog that deletes all stored prompts and responses of a workspace. */
export function DeleteContents({ workspace: { id, name }, onClose }: { workspace: Workspace; onClose: () => void }) {
  const remove = async () => {
    const { deleted_count } = await call('DELETE /workspaces/{id}/contents', { params: { id } })
    invalidate('/generation/content')
    onClose()
    toast(`Deleted prompts and responses of ${countText(deleted_count, 'request')}`)
  }
  return (
    <Dialog title={`Delete stored data of ${name}`} onClose={onClose}>
      <h2>Delete stored data of {name}?</h2>
      <p>Deletes all prompts and responses, also of requests in flight. Metering data and the setting stay.</p>
      <ConfirmDeleteByName name={name} verb="delete" onConfirm={remove} />
    </Dialog>
  )
}
