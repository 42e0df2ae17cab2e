import { useState } from 'preact/hooks'
import { call } from '../../api/client.ts'
import type { WorkspaceMember } from '../../api/types.ts'
import { Dialog } from '../../components/form/dialog.tsx'
import { FormActions } from '../../components/form/form-actions.tsx'
import { useAction } from '../../components/form/use-action.ts'
import { toast } from '../../components/page/toast.tsx'

type Props = {
  member: WorkspaceMember
  workspace: { id: string; name: string }
  onRemoved: () => void
  onClose: () => void
}

/** A dialog that removes a member from a workspace. Enabled keys of the member prevent it, so the dialog can disable them, too. */
export function RemoveWorkspaceMember({ member, workspace, onRemoved, onClose }: Props) {
  const [shouldDisableKeys, setDisableKeys] = useState(true)
  const { problem, isBusy, onSubmit } = useAction()
  const params = { id: workspace.id }
  const submit = onSubmit(async () => {
    const body = { user_ids: [member.user_id], disable_keys: shouldDisableKeys }
    await call('POST /workspaces/{id}/members/remove', { params, body })
    onRemoved()
    onClose()
    toast(`${member.name} removed from ${workspace.name}`)
  })
  const title = `Remove ${member.name} from ${workspace.name}`
  return (
    <Dialog title={title} onClose={onClose}>
      <h2>{title}</h2>
      <form class="fields" onSubmit={submit}>
        <label class="check">
          <input
            type="checkbox"
            checked={shouldDisableKeys}
            onChange={(event) => setDisableKeys(event.currentTarget.checked)}
          />
          Also disable their keys in this workspace (required if they have enabled keys)
        </label>
        {member.source === 'oidc' && (
          <p class="dim">A group of the OpenID Connect issuer added this member, who returns at the next sign-in.</p>
        )}
        <FormActions problem={problem} label="Remove" isRemoval disabled={isBusy} onClose={onClose} />
      </form>
    </Dialog>
  )
}
