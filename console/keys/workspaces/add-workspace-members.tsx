import { useState } from 'preact/hooks'
import { call } from '../../api/client.ts'
import type { WorkspaceMember } from '../../api/types.ts'
import { FormDialog } from '../../components/form/form-dialog.tsx'
import { toast } from '../../components/page/toast.tsx'
import { countText } from '../../format/count.ts'
import { MemberInput } from '../members/member-input.tsx'

const roles: [WorkspaceMember['access'] | '', string][] = [
  ['', 'as in the organization'],
  ['admin', 'admin: changes everything in the workspace'],
  ['developer', 'developer: models, own keys and own interns'],
  ['viewer', 'viewer: read access'],
]

type Props = { workspace: { id: string; name: string }; onAdded: () => void; onClose: () => void }

/** A dialog that adds members of the organization to a workspace. */
export function AddWorkspaceMembers({ workspace, onAdded, onClose }: Props) {
  const [addressesText, setAddressesText] = useState('')
  const [access, setAccess] = useState<WorkspaceMember['access'] | ''>('')
  const submit = async () => {
    const body = { user_ids: addressesIn(addressesText), access: access || undefined }
    const { added_count } = await call('POST /workspaces/{id}/members/add', { params: { id: workspace.id }, body })
    onAdded()
    onClose()
    toast(`${countText(added_count, 'member')} added to ${workspace.name}`)
  }
  return (
    <FormDialog title={`Add members to ${workspace.name}`} label="Add" onSubmit={submit} onClose={onClose}>
      <MemberInput
        label="Email addresses, separated by commas"
        value={addressesText}
        onChange={setAddressesText}
        isRequired
      />
      <label>
        Role in the workspace
        <select value={access} onChange={(event) => setAccess(event.currentTarget.value as typeof access)}>
          {roles.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <p class="dim">
        They must be members of the organization. <a href="/keys/people">Add new members</a> first, with their
        workspaces.
      </p>
    </FormDialog>
  )
}

const addressesIn = (text: string) => text.split(/[\s,;]+/).filter(Boolean)
