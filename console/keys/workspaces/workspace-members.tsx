import { useState } from 'preact/hooks'
import { call } from '../../api/client.ts'
import { useGet } from '../../api/resource.ts'
import { currentSession } from '../../api/session.ts'
import type { WorkspaceMember } from '../../api/types.ts'
import { SearchField } from '../../components/filters/search-field.tsx'
import { runOrToast } from '../../components/form/use-action.ts'
import { EmptyState } from '../../components/page/page-states.tsx'
import { toast } from '../../components/page/toast.tsx'
import { Listing, useSearchPage } from '../../components/table/listing.tsx'
import { useSecrets } from '../../components/text/secret.tsx'
import { RelativeTime } from '../../components/text/timestamp.tsx'
import { RoleSelect } from '../members/role-select.tsx'
import { type Link, SignInLinkButton } from '../members/sign-in-link.tsx'
import { canChangeMember, canChangeWorkspaceMember, canManageWorkspace, workspaceRoles } from '../permissions.ts'
import { useShownWorkspace, WorkspaceSelect } from '../workspace-select.tsx'
import { AddWorkspaceMembers } from './add-workspace-members.tsx'
import { RemoveWorkspaceMember } from './remove-workspace-member.tsx'

const columns = ['name', 'email', 'role in workspace', 'role in organization', 'added', '']

/** The members of a workspace, with their role in it and in the organization. */
export function WorkspaceMembers() {
  const workspace = useShownWorkspace()
  const query = useSearchPage()
  const params = { id: workspace?.id ?? '' }
  const resource = useGet('GET /workspaces/{id}/members', workspace && { params, query })
  const [dialogMember, setDialogMember] = useState<WorkspaceMember | 'new'>()
  const [secrets, addSecret] = useSecrets()
  const session = currentSession()
  const close = () => setDialogMember(undefined)
  const canAdd = canManageWorkspace(session)
  return (
    <>
      {secrets}
      {!resource.failure && (
        <div class="toolbar">
          {canAdd && (
            <button type="button" onClick={() => setDialogMember('new')}>
              Add members
            </button>
          )}
          <WorkspaceSelect />
          <SearchField label="Find members" placeholder="Name or email address" />
        </div>
      )}
      <Listing
        resource={resource}
        label="Workspace members"
        columns={columns}
        empty={
          <EmptyState title={`No members in ${workspace?.name}`}>
            <p>Owners and admins of the organization have access without being members.</p>
          </EmptyState>
        }
        renderRow={(member) => (
          <MemberRow
            key={member.id}
            member={member}
            onChanged={resource.reload}
            onLink={addSecret}
            onRemove={() => setDialogMember(member)}
          />
        )}
      />
      {dialogMember === 'new' && workspace && (
        <AddWorkspaceMembers workspace={workspace} onAdded={resource.reload} onClose={close} />
      )}
      {dialogMember && dialogMember !== 'new' && workspace && (
        <RemoveWorkspaceMember
          member={dialogMember}
          workspace={workspace}
          onRemoved={resource.reload}
          onClose={close}
        />
      )}
    </>
  )
}

type RowProps = {
  member: WorkspaceMember
  onChanged: () => void
  onLink: (...link: Link) => void
  onRemove: () => void
}

function MemberRow({ member, onChanged, onLink, onRemove }: RowProps) {
  const session = currentSession()
  const { name, email, access, organization_access, source, created_at, user_id } = member
  const canChange = canChangeWorkspaceMember(session, member)
  const canLink = canChangeMember(session, { id: user_id, access: organization_access })
  return (
    <tr>
      <th scope="row">
        {name} {user_id === session?.member.id && <span class="dim">you</span>}
      </th>
      <td data-head="email">{email}</td>
      <td data-head="role in workspace">
        {canChange ? <WorkspaceRole member={member} onChanged={onChanged} /> : access}
      </td>
      <td data-head="role in organization">{organization_access}</td>
      <td data-head="added">
        <RelativeTime time={created_at} /> {source === 'oidc' && <span class="dim">by OpenID Connect</span>}
      </td>
      <td class="number">
        {canLink && <SignInLinkButton member={{ id: user_id, name }} onLink={onLink} />}{' '}
        {canChange && (
          <button type="button" aria-label={`Remove ${name}`} onClick={onRemove}>
            Remove
          </button>
        )}
      </td>
    </tr>
  )
}

function WorkspaceRole({ member, onChanged }: { member: WorkspaceMember; onChanged: () => void }) {
  const { user_id, workspace_id, name } = member
  const give = async (access: WorkspaceMember['access']) => {
    const body = { user_ids: [user_id], access }
    await call('POST /workspaces/{id}/members/add', { params: { id: workspace_id }, body })
    onChanged()
  }
  const change = async (access: WorkspaceMember['access']) => {
    await give(access)
    toast(`${name} is ${access} now`, { undo: () => void runOrToast(() => give(member.access)) })
  }
  return <RoleSelect name={name} role={member.access} roles={workspaceRoles} onChange={change} />
}
