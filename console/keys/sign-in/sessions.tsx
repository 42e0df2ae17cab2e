import { call } from '../../api/client.ts'
import { useGet } from '../../api/resource.ts'
import type { ListedSession } from '../../api/types.ts'
import { onFirstClick } from '../../components/form/double-click.ts'
import { runOrToast } from '../../components/form/use-action.ts'
import { EmptyState } from '../../components/page/page-states.tsx'
import { toast } from '../../components/page/toast.tsx'
import { Listing, usePage } from '../../components/table/listing.tsx'
import { RelativeTime } from '../../components/text/timestamp.tsx'

const methods = { key: 'Key', link: 'Sign-in link', oidc: 'OpenID Connect', passkey: 'Passkey' }

/** The signed-in browser sessions. */
export function Sessions() {
  const resource = useGet('GET /sessions', { query: usePage() })
  const end = async ({ id, member }: ListedSession) => {
    await call('DELETE /sessions/{id}', { params: { id } })
    resource.reload()
    toast(`Session of ${member.name || member.email} ended`)
  }
  return (
    <Listing
      resource={resource}
      label="Browser sessions"
      columns={['member', 'client', 'method', 'last used', 'expires', '']}
      empty={<EmptyState title="No active browser sessions" />}
      renderRow={(session) => (
        <tr key={session.id}>
          <th scope="row">
            {session.member.name || session.member.email} {session.is_current && <span class="dim">this browser</span>}
          </th>
          <td data-head="client">
            {session.address ?? '–'} <span class="agent dim">{session.user_agent}</span>
          </td>
          <td data-head="method">{methods[session.method]}</td>
          <td data-head="last used">
            <RelativeTime time={session.last_used_at} />
          </td>
          <td data-head="expires">
            {/* The earlier one ends the session. */}
            <RelativeTime time={[session.idle_expires_at, session.expires_at].sort()[0]!} />
          </td>
          <td class="number">
            {!session.is_current && (
              <button
                type="button"
                aria-label={`Sign out ${session.member.name || session.member.email}`}
                onClick={onFirstClick(() => void runOrToast(() => end(session)))}
              >
                Sign out
              </button>
            )}
          </td>
        </tr>
      )}
    />
  )
}
