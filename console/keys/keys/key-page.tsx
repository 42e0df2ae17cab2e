import { useState } from 'preact/hooks'
import { useLocation, useRoute } from 'preact-iso/router'
import { canSeeAll } from '../../api/key-access.ts'
import { useAllRows } from '../../api/pages.ts'
import { useGet } from '../../api/resource.ts'
import { currentSession } from '../../api/session.ts'
import type { Guardrail, Key, KeyBudget } from '../../api/types.ts'
import { AlertThresholds } from '../../components/form/alert-thresholds.tsx'
import { Heading } from '../../components/page/heading.tsx'
import { FailureState, Loading } from '../../components/page/page-states.tsx'
import { describePolicy } from '../../components/policy/policy-description.ts'
import { BudgetTable } from '../../components/table/budget-table.tsx'
import { Facts } from '../../components/text/facts.tsx'
import { RelativeTime } from '../../components/text/timestamp.tsx'
import { exhaustedNote, keyBudgetName } from '../budgets/budget-labels.ts'
import { canManageWorkspace, editableKeyFields } from '../permissions.ts'
import { ChangeKey } from './change-key.tsx'
import { stateOf } from './key-state.ts'

const kindPermissions = {
  api: 'models and interns',
  intern: 'model requests of an intern',
  management: 'management only, no model requests',
}

/** The page of a key: its use, every budget that counts its spending, and its guardrails. */
export function KeyPage() {
  const hash = (useRoute().params.rest ?? '').slice('key/'.length)
  const { data, failure, reload } = useGet('GET /keys/{hash}', { params: { hash } })
  if (failure) return <FailureState failure={failure} onRetry={reload} />
  if (!data) return <Loading />
  return <KeyDetails storedKey={data.data} onReload={reload} />
}

function KeyDetails({ storedKey: key, onReload }: { storedKey: Key; onReload: () => void }) {
  const { route } = useLocation()
  const [isOpen, setOpen] = useState(false)
  const session = currentSession()
  const canSeeEverything = canSeeAll(session)
  const canChange = editableKeyFields(session, key) !== 'nothing'
  const state = stateOf(key)
  return (
    <div class="page parts key-page">
      <header>
        <Heading pageName="Key">{key.name}</Heading>
        <span class="dim mono">{key.label}</span>
        <a href="/keys">All keys</a>
        <a href={`/requests?api_key_hash=${key.hash}`}>Requests</a>
        {canSeeEverything && <a href={`/keys/audit?target_id=${key.hash}`}>History</a>}
        {canChange && (
          <button type="button" onClick={() => setOpen(true)}>
            Change
          </button>
        )}
      </header>
      <Facts
        class="key-facts"
        facts={[
          ['Status', state ? <span class={state.tone}>{state.label}</span> : 'active'],
          ['Permissions', kindPermissions[key.kind]],
          ['Owner', key.external_user ?? key.creator_name ?? key.creator_email],
          ['Expires', key.expires_at ? <RelativeTime time={key.expires_at} /> : 'never'],
        ]}
      />
      <h2>Budgets</h2>
      {key.kind === 'management' ? (
        <p>Management keys use no models.</p>
      ) : (
        <KeyBudgets
          // A changed limit is another budget: the list is loaded again.
          key={key.updated_at}
          storedKey={key}
          onEdit={canManageWorkspace(session) ? () => setOpen(true) : undefined}
        />
      )}
      {key.limit !== null && canSeeEverything && (
        <AlertThresholds kind="key" targetId={key.hash} canChange={editableKeyFields(session, key) === 'all'} />
      )}
      {canSeeEverything && key.kind !== 'management' && (
        <>
          <h2>Guardrails</h2>
          <KeyGuardrails storedKey={key} />
        </>
      )}
      {isOpen && (
        <ChangeKey
          storedKey={key}
          onChanged={onReload}
          onDeleted={() => route('/keys')}
          onClose={() => setOpen(false)}
        />
      )}
    </div>
  )
}

const budgetId = ({ layer, guardrail_id, reset_interval, tag_name, group_value }: KeyBudget) =>
  [layer, guardrail_id, reset_interval, tag_name, group_value].join(' ')

/** The budgets that count the spending of a key, in the order in which they are checked. */
function KeyBudgets({ storedKey: key, onEdit }: { storedKey: Key; onEdit?: () => void }) {
  const { data, failure, reload } = useGet('GET /keys/{hash}/budgets', { params: { hash: key.hash } })
  if (failure) return <FailureState failure={failure} onRetry={reload} />
  if (!data) return <Loading />
  if (data.data.length === 0) return <p>None. The key can spend without a limit.</p>
  const exhausted = data.data.filter(({ remaining_usd }) => remaining_usd <= 0)
  return (
    <>
      {exhausted.map((budget) => (
        <p key={budgetId(budget)} class="bad">
          {exhaustedNote(budget)}
        </p>
      ))}
      <p class="dim">A request needs enough remaining budget in each of them. They are checked in this order.</p>
      <BudgetTable
        label={`Budgets of ${key.name}`}
        rows={data.data.map((budget) => ({
          ...budget,
          id: budgetId(budget),
          name: keyBudgetName(budget),
        }))}
        actions={
          onEdit &&
          ((row) => {
            const budget = data.data.find((one) => budgetId(one) === row.id)
            return budget && <ChangeLimit budget={budget} workspaceId={key.workspace_id} onEdit={onEdit} />
          })
        }
      />
    </>
  )
}

type ChangeProps = { budget: KeyBudget; workspaceId: string; onEdit: () => void }

/** A button or link that leads to the form of a limit. */
function ChangeLimit({ budget, workspaceId, onEdit }: ChangeProps) {
  const name = keyBudgetName(budget)
  if (budget.layer === 'key_limit')
    return (
      <button type="button" aria-label={`Change ${name}`} onClick={onEdit}>
        Change
      </button>
    )
  const path = budget.guardrail_id ? `/guardrails/${budget.guardrail_id}` : `/keys/budgets?workspace_id=${workspaceId}`
  return (
    <a href={path} aria-label={`Change ${name}`}>
      Change
    </a>
  )
}

/** A guardrail that applies to a key, and why. */
type AppliedGuardrail = { guardrail: Guardrail; reason: string }

/** The guardrails of its workspace, of the key and of its owner. The strictest rule applies. */
function KeyGuardrails({ storedKey: key }: { storedKey: Key }) {
  const guardrails = useAllRows('GET /guardrails', {})
  const workspaces = useAllRows('GET /workspaces', {})
  const keys = useAllRows('GET /guardrails/assignments/keys', {})
  const members = useAllRows('GET /guardrails/assignments/members', {})
  const failure = [guardrails, workspaces, keys, members].find((one) => one.failure)?.failure
  if (failure) return <p class="bad">{failure.message}</p>
  if (!guardrails.data || !workspaces.data || !keys.data || !members.data) return <Loading />
  const workspace = workspaces.data.find(({ id }) => id === key.workspace_id)
  // A guardrail can apply for several reasons. The last one is displayed.
  const reasons = new Map([
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
    const reason = reasons.get(guardrail.id)
    return reason === undefined || guardrail.workspace_id !== key.workspace_id ? [] : [{ guardrail, reason }]
  })
  if (applied.length === 0) return <p>None. The key can use every model.</p>
  return (
    <ul class="key-guardrails">
      {applied.map(({ guardrail, reason }) => (
        <li key={guardrail.id}>
          <a href={`/guardrails/${guardrail.id}`}>{guardrail.name}</a> <span class="dim">{reason}</span>
          <br />
          {describePolicy(guardrail).join(' ') || 'No restrictions.'}
        </li>
      ))}
    </ul>
  )
}
