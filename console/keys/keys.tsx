import { useState } from 'preact/hooks'
import { seesAll } from '../api/all-keys.ts'
import { useGet } from '../api/resource.ts'
import { useMe } from '../api/session.ts'
import type { Key } from '../api/types.ts'
import { Listing, useFoundPage } from '../components/listing.tsx'
import { Nothing } from '../components/page-states.tsx'
import { Find } from '../components/search-field.tsx'
import { Secret } from '../components/secret.tsx'
import { Ago } from '../components/timestamp.tsx'
import { Usd } from '../components/usd.tsx'
import { ChangeKey } from './change-key.tsx'
import { MakeKey } from './create-key.tsx'
import { WhatItMay } from './key-permissions.tsx'
import { stateOf } from './key-state.ts'
import { mayChangeKey, mayMakeKeys } from './permissions.ts'
import { useWorkspace, WhichWorkspace } from './workspace-select.tsx'

const heads = ['key', 'owner', '#spent', '#limit', '#remaining', 'expires', '']

/** All keys of a workspace that one may see, disabled ones too. */
export function Keys() {
  const workspace = useWorkspace()
  const resource = useGet('GET /keys', { query: { ...useFoundPage(), ...workspace, include_disabled: 'true' } })
  const [open, setOpen] = useState<Key | 'new'>()
  const [asked, setAsked] = useState<Key>()
  const [made, setMade] = useState<{ name: string; secret: string }>()
  const close = () => setOpen(undefined)
  const me = useMe()
  return (
    <>
      {made && <Secret title={`Secret of ${made.name}`} text={made.secret} onDone={() => setMade(undefined)} />}
      {!resource.failure && (
        <div class="does">
          {mayMakeKeys(me) && (
            <button type="button" onClick={() => setOpen('new')}>
              Create key
            </button>
          )}
          <WhichWorkspace />
          <Find label="Find keys" placeholder="name or owner" />
        </div>
      )}
      <Listing
        resource={resource}
        label="Keys"
        heads={heads}
        empty={
          <Nothing title="You have no keys yet" paste="npx signalbox keys create laptop --limit 25 --reset monthly" />
        }
        row={(key) => (
          <KeyRow
            key={key.hash}
            of={key}
            onAsk={seesAll(me) ? () => setAsked(key) : undefined}
            onChange={mayChangeKey(me, key) === 'nothing' ? undefined : () => setOpen(key)}
          />
        )}
      />
      {asked && <WhatItMay of={asked} onClose={() => setAsked(undefined)} />}
      {open === 'new' && (
        <MakeKey
          workspace={workspace}
          onClose={close}
          onMade={(name, secret) => {
            setMade({ name, secret })
            close()
            resource.reload()
          }}
        />
      )}
      {open && open !== 'new' && <ChangeKey of={open} onChanged={resource.reload} onClose={close} />}
    </>
  )
}

type RowProps = { of: Key; onAsk: (() => void) | undefined; onChange: (() => void) | undefined }

function KeyRow({ of: key, onAsk, onChange }: RowProps) {
  return (
    <tr class={key.disabled ? 'dim' : undefined}>
      <th scope="row">
        <State of={key} />
        {key.name} {key.kind !== 'api' && <span class="dim">{key.kind}</span>}
        <span class="label-of dim mono">{key.label}</span>
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
      <td data-head="expires">{key.expires_at ? <Ago time={key.expires_at} /> : <span class="dim">never</span>}</td>
      <td class="number">
        {onAsk && (
          <button type="button" aria-label={`Permissions of ${key.name}`} onClick={onAsk}>
            Permissions
          </button>
        )}{' '}
        <a href={`/keys/audit?target_id=${key.hash}`} aria-label={`History of ${key.name}`}>
          History
        </a>{' '}
        {onChange && (
          <button type="button" aria-label={`Change ${key.name}`} onClick={onChange}>
            Change
          </button>
        )}
      </td>
    </tr>
  )
}

/** Nothing is said of a key that works. */
function State({ of: key }: { of: Key }) {
  const state = stateOf(key)
  return state ? <Mark {...state} /> : null
}

const Mark = ({ tone, says }: { tone: string; says: string }) => (
  <span class={`mark ${tone}`}>
    <span class={`dot ${tone}`} />
    {says}{' '}
  </span>
)
