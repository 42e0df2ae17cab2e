import { useState } from 'preact/hooks'
import { call } from '../api/client.ts'
import { useGet } from '../api/resource.ts'
import { useSession } from '../api/session.ts'
import type { Member } from '../api/types.ts'
import { Listing, useSearchPage } from '../components/listing.tsx'
import { EmptyState } from '../components/page-states.tsx'
import { SearchField } from '../components/search-field.tsx'
import { Secret } from '../components/secret.tsx'
import { RelativeTime } from '../components/timestamp.tsx'
import { toast } from '../components/toast.tsx'
import { runOrToast } from '../components/use-action.ts'
import { AddMember } from './add-member.tsx'
import { nameOfMember } from './member-name.ts'
import { assignableRoles, canChangeMember, canManageOrganization } from './permissions.ts'
import { RemoveMember } from './remove-member.tsx'

type Link = { name: string; url: string }

/** The members of the organization and their roles. */
export function People() {
  const resource = useGet('GET /organization/members', { query: useSearchPage() })
  const [open, setOpen] = useState<Member | 'new'>()
  const [link, setLink] = useState<Link>()
  const close = () => setOpen(undefined)
  const me = useSession()
  return (
    <>
      {link && (
        <Secret
          title={`Sign-in link for ${link.name}, valid once for 15 minutes`}
          text={link.url}
          onDone={() => setLink(undefined)}
        />
      )}
      {!resource.failure && (
        <div class="does">
          {canManageOrganization(me) && (
            <button type="button" onClick={() => setOpen('new')}>
              Add member
            </button>
          )}
          <SearchField label="Find people" placeholder="Name or address" />
        </div>
      )}
      <Listing
        resource={resource}
        label="People"
        heads={['name', 'address', 'access', 'joined', '']}
        empty={<EmptyState title="No members" paste={'npx signalbox members add ada@example.com "Ada Lovelace"'} />}
        row={(member) => (
          <MemberRow
            key={member.id}
            of={member}
            onChanged={resource.reload}
            onLink={setLink}
            onRemove={() => setOpen(member)}
          />
        )}
      />
      {open === 'new' && <AddMember onAdded={resource.reload} onClose={close} />}
      {open && open !== 'new' && (
        <RemoveMember of={open} name={nameOfMember(open)} onRemoved={resource.reload} onClose={close} />
      )}
    </>
  )
}

type RowProps = { of: Member; onChanged: () => void; onLink: (link: Link) => void; onRemove: () => void }

function MemberRow({ of: member, onChanged, onLink, onRemove }: RowProps) {
  const me = useSession()
  const name = nameOfMember(member)
  const canChange = canChangeMember(me, member)
  const makeLink = async () => {
    const { data } = await call('POST /sessions/links', { body: { user_id: member.id } })
    onLink({ name, url: data.url })
  }
  return (
    <tr>
      <th scope="row">
        {name} {member.id === me?.member.id && <span class="dim">you</span>}
      </th>
      <td data-head="address">{member.email}</td>
      <td data-head="access">{canChange ? <Access of={member} name={name} onChanged={onChanged} /> : member.access}</td>
      <td data-head="joined">
        <RelativeTime time={member.joined_at} />
      </td>
      <td class="number">
        {canChange && (
          <>
            <button type="button" aria-label={`Sign-in link for ${name}`} onClick={() => void runOrToast(makeLink)}>
              Sign-in link
            </button>{' '}
            <button type="button" aria-label={`Remove ${name}`} onClick={onRemove}>
              Remove
            </button>
          </>
        )}
      </td>
    </tr>
  )
}

function Access({ of: member, name, onChanged }: { of: Member; name: string; onChanged: () => void }) {
  const give = async (access: Member['access']) => {
    await call('PATCH /organization/members/{user_id}', { params: { user_id: member.id }, body: { access } })
    onChanged()
  }
  const change = async (access: Member['access']) => {
    await give(access)
    toast(`${name} is ${access} now`, { undo: () => void runOrToast(() => give(member.access)) })
  }
  return (
    <select
      aria-label={`Role of ${name}`}
      value={member.access}
      onChange={(event) => {
        const field = event.currentTarget
        const selected = field.value as Member['access']
        // Shows the current role until the service confirms the change.
        field.value = member.access
        void runOrToast(() => change(selected))
      }}
    >
      {assignableRoles(useSession()).map((access) => (
        <option key={access} value={access}>
          {access}
        </option>
      ))}
    </select>
  )
}
