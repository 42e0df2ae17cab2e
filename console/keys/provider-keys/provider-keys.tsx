import { useState } from 'preact/hooks'
import { useGet } from '../../api/resource.ts'
import { currentSession } from '../../api/session.ts'
import type { ProviderCredential } from '../../api/types.ts'
import { EmptyState } from '../../components/page/page-states.tsx'
import { Listing, usePage } from '../../components/table/listing.tsx'
import { RelativeTime } from '../../components/text/timestamp.tsx'
import { canManageWorkspace } from '../permissions.ts'
import { useWorkspaceFilter, WorkspaceSelect } from '../workspace-select.tsx'
import { priorities, priorityOf, restrictionsOf } from './provider-fields.ts'
import { ProviderKeyDialog } from './provider-key-dialog.tsx'

/** The provider keys of a workspace. */
export function ProviderKeys() {
  const workspace = useWorkspaceFilter()
  const resource = useGet('GET /byok', { query: { ...usePage(), ...workspace } })
  const [editedCredential, setEditedCredential] = useState<ProviderCredential | 'new'>()
  const canStore = canManageWorkspace(currentSession())
  const close = () => setEditedCredential(undefined)
  return (
    <>
      {!resource.failure && (
        <p class="toolbar">
          {canStore && (
            <button type="button" onClick={() => setEditedCredential('new')}>
              Add provider key
            </button>
          )}
          <WorkspaceSelect />
        </p>
      )}
      <Listing
        resource={resource}
        label="Provider keys"
        columns={['provider', 'name', 'key', 'used for', 'priority', 'added', ...(canStore ? [''] : [])]}
        empty={
          <EmptyState title="No provider keys">
            <p>Requests use the keys that the operator set in the environment.</p>
          </EmptyState>
        }
        renderRow={(credential) => (
          <ProviderRow
            key={credential.id}
            credential={credential}
            onEdit={canStore ? () => setEditedCredential(credential) : undefined}
          />
        )}
      />
      {editedCredential === 'new' && (
        <ProviderKeyDialog workspace={workspace} onStored={resource.reload} onClose={close} />
      )}
      {editedCredential && editedCredential !== 'new' && (
        <ProviderKeyDialog credential={editedCredential} onStored={resource.reload} onClose={close} />
      )}
    </>
  )
}

function ProviderRow({ credential, onEdit }: { credential: ProviderCredential; onEdit: (() => void) | undefined }) {
  const { provider, name, label, disabled, created_at } = credential
  return (
    <tr class={disabled ? 'dim' : undefined}>
      <th scope="row">
        {disabled && (
          <span class="mark bad">
            <span class="dot bad" />
            disabled{' '}
          </span>
        )}
        {provider}
      </th>
      <td data-head="name">{name ?? '–'}</td>
      <td data-head="key" class="mono">
        {label}
      </td>
      <td data-head="used for">{restrictionsOf(credential)}</td>
      <td data-head="priority">{priorities[priorityOf(credential)]}</td>
      <td data-head="added">
        <RelativeTime time={created_at} />
      </td>
      {onEdit && (
        <td class="number">
          <button type="button" aria-label={`Change ${name || provider}`} onClick={onEdit}>
            Change
          </button>
        </td>
      )}
    </tr>
  )
}
