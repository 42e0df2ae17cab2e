import { useState } from 'preact/hooks'
import { useGet } from '../../api/resource.ts'
import { currentSession } from '../../api/session.ts'
import type { Key } from '../../api/types.ts'
import { SearchField } from '../../components/filters/search-field.tsx'
import { EmptyState } from '../../components/page/page-states.tsx'
import { Listing, useSearchPage } from '../../components/table/listing.tsx'
import { keyPath } from '../../components/text/key-path.ts'
import { useSecrets } from '../../components/text/secret.tsx'
import { RelativeTime } from '../../components/text/timestamp.tsx'
import { Usd } from '../../components/text/usd.tsx'
import { canCreateKeys, editableKeyFields } from '../permissions.ts'
import { useShownWorkspace, useWorkspaceFilter, WorkspaceSelect } from '../workspace-select.tsx'
import { ChangeKey } from './change-key.tsx'
import { CreateKey } from './create-key.tsx'
import { stateOf } from './key-state.ts'

const columns = ['key', 'owner', '#spent', '#limit', '#remaining', 'expires', '']

/** All visible keys of a workspace, including disabled ones. */
export function Keys() {
  const workspace = useWorkspaceFilter()
  const resource = useGet('GET /keys', { query: { ...useSearchPage(), ...workspace, include_disabled: 'true' } })
  const [editedKey, setEditedKey] = useState<Key | 'new'>()
  const [secrets, addSecret] = useSecrets()
  const close = () => setEditedKey(undefined)
  const targetWorkspace = useShownWorkspace()
  const session = currentSession()
  return (
    <>
      {secrets}
      {!resource.failure && (
        <div class="toolbar">
          {canCreateKeys(session) && (
            <button type="button" onClick={() => setEditedKey('new')}>
              Create key
            </button>
          )}
          <WorkspaceSelect />
          <SearchField label="Find keys" placeholder="Name or owner" />
        </div>
      )}
      <Listing
        resource={resource}
        label="Keys"
        columns={columns}
        empty={
          <EmptyState
            title="You have no keys yet"
            command={canCreateKeys(session) ? 'npx signalbox keys create laptop --limit 25 --reset monthly' : undefined}
          />
        }
        renderRow={(key) => (
          <KeyRow
            key={key.hash}
            storedKey={key}
            onEdit={editableKeyFields(session, key) === 'nothing' ? undefined : () => setEditedKey(key)}
          />
        )}
      />
      {editedKey === 'new' && targetWorkspace && (
        <CreateKey
          initialWorkspaceId={targetWorkspace.id}
          onClose={close}
          onCreated={(name, secret) => {
            addSecret(`Secret of ${name}`, secret)
            close()
            resource.reload()
          }}
        />
      )}
      {editedKey && editedKey !== 'new' && (
        <ChangeKey storedKey={editedKey} onChanged={resource.reload} onClose={close} />
      )}
    </>
  )
}

type RowProps = { storedKey: Key; onEdit: (() => void) | undefined }

function KeyRow({ storedKey: key, onEdit }: RowProps) {
  return (
    <tr class={key.disabled ? 'dim' : undefined}>
      <th scope="row">
        <State storedKey={key} />
        <a href={keyPath(key)}>{key.name}</a> {key.kind !== 'api' && <span class="dim">{key.kind}</span>}
        <span class="key-label dim mono">{key.label}</span>
      </th>
      <td data-head="owner" title={key.creator_email ?? undefined}>
        {key.external_user ?? key.creator_name ?? key.creator_email ?? '–'}
      </td>
      <td data-head="spent" class="number">
        <Usd amount={key.usage} />
      </td>
      <td data-head="limit" class="number">
        <Usd amount={key.limit} /> {key.limit_reset && <span class="dim">{key.limit_reset}</span>}
      </td>
      <td data-head="remaining" class="number">
        <Usd amount={key.limit_remaining} />
      </td>
      <td data-head="expires">
        {key.expires_at ? <RelativeTime time={key.expires_at} /> : <span class="dim">never</span>}
      </td>
      <td class="number">
        <span class="row-links">
          <a href={keyPath(key)} aria-label={`Budgets and permissions of ${key.name}`}>
            Permissions
          </a>
          <a href={`/keys/audit?target_id=${key.hash}`} aria-label={`History of ${key.name}`}>
            History
          </a>
        </span>{' '}
        {onEdit && (
          <button type="button" aria-label={`Change ${key.name}`} onClick={onEdit}>
            Change
          </button>
        )}
      </td>
    </tr>
  )
}

/** The state of a key that is rejected. */
function State({ storedKey: key }: { storedKey: Key }) {
  const state = stateOf(key)
  return state ? (
    <span class={`mark ${state.tone}`}>
      <span class={`dot ${state.tone}`} />
      {state.label}{' '}
    </span>
  ) : null
}
