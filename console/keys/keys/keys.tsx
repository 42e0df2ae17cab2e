import { useState } from 'preact/hooks'
import { useGet } from '../../api/resource.ts'
import { currentSession } from '../../api/session.ts'
import type { Key } from '../../api/types.ts'
import { SearchField } from '../../components/filters/search-field.tsx'
import { EmptyState } from '../../components/page/page-states.tsx'
import { Listing, useSearchPage } from '../../components/table/listing.tsx'
import { keyPath } from '../../components/text/key-path.ts'
import { Secret } from '../../components/text/secret.tsx'
import { RelativeTime } from '../../components/text/timestamp.tsx'
import { Usd } from '../../components/text/usd.tsx'
import { canCreateKeys, editableKeyFields } from '../permissions.ts'
import { useShownWorkspace, useWorkspaceFilter, WorkspaceSelect } from '../workspace-select.tsx'
import { ChangeKey } from './change-key.tsx'
import { CreateKey } from './create-key.tsx'
import { stateOf } from './key-state.ts'

const heads = ['key', 'owner', '#spent', '#limit', '#remaining', 'expires', '']

/** All visible keys of a workspace, including disabled ones. */
export function Keys() {
  const workspace = useWorkspaceFilter()
  const resource = useGet('GET /keys', { query: { ...useSearchPage(), ...workspace, include_disabled: 'true' } })
  const [open, setOpen] = useState<Key | 'new'>()
  const [created, setCreated] = useState<{ name: string; secret: string }>()
  const close = () => setOpen(undefined)
  const target = useShownWorkspace()
  const me = currentSession()
  return (
    <>
      {created && (
        <Secret title={`Secret of ${created.name}`} text={created.secret} onDone={() => setCreated(undefined)} />
      )}
      {!resource.failure && (
        <div class="toolbar">
          {canCreateKeys(me) && (
            <button type="button" onClick={() => setOpen('new')}>
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
        heads={heads}
        empty={
          <EmptyState
            title="You have no keys yet"
            {...(canCreateKeys(me) && { paste: 'npx signalbox keys create laptop --limit 25 --reset monthly' })}
          />
        }
        row={(key) => (
          <KeyRow
            key={key.hash}
            storedKey={key}
            onChange={editableKeyFields(me, key) === 'nothing' ? undefined : () => setOpen(key)}
          />
        )}
      />
      {open === 'new' && target && (
        <CreateKey
          workspaceId={target.id}
          onClose={close}
          onCreated={(name, secret) => {
            setCreated({ name, secret })
            close()
            resource.reload()
          }}
        />
      )}
      {open && open !== 'new' && <ChangeKey storedKey={open} onChanged={resource.reload} onClose={close} />}
    </>
  )
}

type RowProps = { storedKey: Key; onChange: (() => void) | undefined }

function KeyRow({ storedKey: key, onChange }: RowProps) {
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
        {onChange && (
          <button type="button" aria-label={`Change ${key.name}`} onClick={onChange}>
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
  return state ? <Mark {...state} /> : null
}

const Mark = ({ tone, label }: { tone: string; label: string }) => (
  <span class={`mark ${tone}`}>
    <span class={`dot ${tone}`} />
    {label}{' '}
  </span>
)
