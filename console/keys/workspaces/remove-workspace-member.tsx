import { useState } from 'preact/hooks'
import { call } from '../../api/client.ts'
import type { WorkspaceMember } from '../../api/types.ts'
import { FormDialog } from '../../components/form/form-dialog.tsx'
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
  const params = { id: workspace.id }
  const submit = async () => {
    const body = { user_ids: [member.user_id], disable_keys: shouldDisableKeys }
    await call('POST /workspaces/{id}/members/remove', { params, body })
    onRemoved()
    onClose()
    toast(`${member.name} removed from ${workspace.name}`)
  }
  return (
    <FormDialog
      title={`Remove ${member.name} from ${workspace.name}`}
      label="Remove"
      isRemoval
      onSubmit={submit}
      onClose={onClose}
    >
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
    </FormDialog>
  )
}
