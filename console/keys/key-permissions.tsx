import { useAllRows } from '../api/pages.ts'
import type { Guardrail, Key } from '../api/types.ts'
import { Dialog } from '../components/dialog.tsx'
import { Facts } from '../components/facts.tsx'
import { Loading } from '../components/page-states.tsx'
import { describePolicy } from '../components/policy-description.ts'
import { RelativeTime } from '../components/timestamp.tsx'
import { exactMoney, money } from '../format/money.ts'
import { stateOf } from './key-state.ts'

const kindPermissions = {
  api: 'models and interns',
  intern: 'model requests of an intern',
  management: 'management only, no model requests',
}

/** The permissions of a key: kind, limit, expiry and guardrails. */
export function KeyPermissions({ of: key, onClose }: { of: Key; onClose: () => void }) {
  const { limit, limit_reset, limit_remaining: left, expires_at } = key
  const state = stateOf(key)
  return (
    <Dialog title={`Permissions of ${key.name}`} onClose={onClose}>
      <h2>{key.name}</h2>
      <Facts
        class="key-facts"
        facts={[
          ['Status', state ? <span class={state.tone}>{state.says}</span> : 'active'],
          ['Use', kindPermissions[key.kind]],
          [
            'Limit',
            limit === null ? (
              'none, apart from guardrails'
            ) : (
              <span title={exactMoney(limit)}>
                at most {money(limit)} {limit_reset ?? 'in total'}, of which {money(left ?? 0)} is left
              </span>
            ),
          ],
          ['Expires', expires_at ? <RelativeTime time={expires_at} /> : 'never'],
        ]}
      />
      <h3>Guardrails</h3>
      {key.kind === 'management' ? (
        <p class="dim">Guardrails apply only to model requests.</p>
      ) : (
        <KeyGuardrails of={key} />
      )}
      <div class="actions">
        <a class="button" href={`/requests?api_key_hash=${key.hash}`}>
          Requests
        </a>
      </div>
    </Dialog>
  )
}

type AppliedGuardrail = { guardrail: Guardrail; by: string }

/** The guardrails of its workspace, of the key and of its owner. The strictest rule applies. */
function KeyGuardrails({ of: key }: { of: Key }) {
  const guardrails = useAllRows('GET /guardrails', {})
  const workspaces = useAllRows('GET /workspaces', {})
  const keys = useAllRows('GET /guardrails/assignments/keys', {})
  const members = useAllRows('GET /guardrails/assignments/members', {})
  const failure = [guardrails, workspaces, keys, members].find((one) => one.failure)?.failure
  if (failure) return <p class="bad">{failure.message}</p>
  if (!guardrails.data || !workspaces.data || !keys.data || !members.data) return <Loading />
  const workspace = workspaces.data.find(({ id }) => id === key.workspace_id)
  const by = new Map([
    ...members.data
      .filter(({ user_id }) => user_id === key.creator_user_id)
      .map(
        (one) =>
          [one.guardrail_id, `Applies to all keys of ${key.creator_name ?? key.creator_email ?? 'its owner'}`] as const,
      ),
    ...keys.data
      .filter(({ key_hash }) => key_hash === key.hash)
      .map((one) => [one.guardrail_id, 'Applies to this key'] as const),
    ...(workspace ? [[workspace.default_guardrail_id, 'Applies to the whole workspace'] as const] : []),
  ])
  const applied = guardrails.data.flatMap((guardrail): AppliedGuardrail[] => {
    const why = by.get(guardrail.id)
    return why === undefined || guardrail.workspace_id !== key.workspace_id ? [] : [{ guardrail, by: why }]
  })
  if (applied.length === 0) return <p>None. The key can use every model without further limits.</p>
  return (
    <ul class="key-guardrails">
      {applied.map(({ guardrail, by: why }) => (
        <li key={guardrail.id}>
          <a href={`/guardrails/${guardrail.id}`}>{guardrail.name}</a> <span class="dim">{why}</span>
          <br />
          {describePolicy(guardrail).join(' ') || 'No restrictions.'}
        </li>
      ))}
    </ul>
  )
}
