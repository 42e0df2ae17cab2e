import { useState } from 'preact/hooks'
import { call } from '../../api/client.ts'
import { useGet } from '../../api/resource.ts'
import { currentSession } from '../../api/session.ts'
import type { Member } from '../../api/types.ts'
import { SearchField } from '../../components/filters/search-field.tsx'
import { runOrToast } from '../../components/form/use-action.ts'
import { EmptyState } from '../../components/page/page-states.tsx'
import { toast } from '../../components/page/toast.tsx'
import { Listing, useSearchPage } from '../../components/table/listing.tsx'
import { memberName } from '../../components/text/member-name.ts'
import { useSecrets } from '../../components/text/secret.tsx'
import { RelativeTime } from '../../components/text/timestamp.tsx'
import { assignableRoles, canChangeMember, canManageOrganization } from '../permissions.ts'
import { AddMember } from './add-member.tsx'
import { RemoveMember } from './remove-member.tsx'
import { RoleSelect } from './role-select.tsx'
import { type Link, SignInLinkButton } from './sign-in-link.tsx'

/** The members of the organization and their roles. */
export function People() {
  const resource = useGet('GET /organization/members', { query: useSearchPage() })
  const [dialogMember, setDialogMember] = useState<Member | 'new'>()
  const [secrets, addSecret] = useSecrets()
  const close = () => setDialogMember(undefined)
  const session = currentSession()
  return (
    <>
      {secrets}
      {!resource.failure && (
        <div class="toolbar">
          {canManageOrganization(session) && (
            <button type="button" onClick={() => setDialogMember('new')}>
              Add member
            </button>
          )}
          <SearchField label="Find members" placeholder="Name or email address" />
        </div>
      )}
      <Listing
        resource={resource}
        label="Members"
        columns={['name', 'email', 'role', 'joined', '']}
        empty={<EmptyState title="No members" command={'npx signalbox members add ada@example.com "Ada Lovelace"'} />}
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
      {dialogMember === 'new' && <AddMember onAdded={resource.reload} onLink={addSecret} onClose={close} />}
      {dialogMember && dialogMember !== 'new' && (
        <RemoveMember
          member={dialogMember}
          name={memberName(dialogMember)}
          onRemoved={resource.reload}
          onClose={close}
        />
      )}
    </>
  )
}

type RowProps = { member: Member; onChanged: () => void; onLink: (...link: Link) => void; onRemove: () => void }

function MemberRow({ member, onChanged, onLink, onRemove }: RowProps) {
  const session = currentSession()
  const name = memberName(member)
  const canChange = canChangeMember(session, member)
  return (
    <tr>
      <th scope="row">
        {name} {member.id === session?.member.id && <span class="dim">you</span>}
      </th>
      <td data-head="email">{member.email}</td>
      <td data-head="role">
        {canChange ? <MemberRole member={member} name={name} onChanged={onChanged} /> : member.access}
      </td>
      <td data-head="joined">
        <RelativeTime time={member.joined_at} />
      </td>
      <td class="number">
        {canChange && (
          <>
            <SignInLinkButton member={{ id: member.id, name }} onLink={onLink} />{' '}
            <button type="button" aria-label={`Remove ${name}`} onClick={onRemove}>
              Remove
            </button>
          </>
        )}
      </td>
    </tr>
  )
}

function MemberRole({ member, name, onChanged }: { member: Member; name: string; onChanged: () => void }) {
  const give = async (access: Member['access']) => {
    await call('PATCH /organization/members/{user_id}', { params: { user_id: member.id }, body: { access } })
    onChanged()
  }
  const change = async (access: Member['access']) => {
    await give(access)
    toast(`${name} is ${access} now`, { undo: () => void runOrToast(() => give(member.access)) })
  }
  return <RoleSelect name={name} role={member.access} roles={assignableRoles(currentSession())} onChange={change} />
}
