import { useState } from 'preact/hooks'
import { call } from '../../api/client.ts'
import { type Resource, useGet } from '../../api/resource.ts'
import { currentSession } from '../../api/session.ts'
import { FailureState, Loading } from '../../components/page/page-states.tsx'
import { type BudgetRow, BudgetTable } from '../../components/table/budget-table.tsx'
import { canManageOrganization, canManageWorkspace, canReadOrganization } from '../permissions.ts'
import { useShownWorkspace, WorkspaceSelect } from '../workspace-select.tsx'
import { type Budget, BudgetDialog, type BudgetStore } from './budget-dialog.tsx'
import { type BudgetInterval, budgetIntervals } from './budget-labels.ts'

/** The budgets of a workspace and of the organization. */
export function Budgets() {
  const session = currentSession()
  const workspace = useShownWorkspace()
  return (
    <div class="budget-sections">
      <div class="toolbar">
        <WorkspaceSelect />
      </div>
      {workspace && (
        <WorkspaceBudgets key={workspace.id} workspace={workspace} canChange={canManageWorkspace(session)} />
      )}
      {canReadOrganization(session) && (
        <OrganizationBudgets name={session.organization.name} canChange={canManageOrganization(session)} />
      )}
    </div>
  )
}

type WorkspaceProps = { workspace: { id: string; name: string }; canChange: boolean }

function WorkspaceBudgets({ workspace: { id, name }, canChange }: WorkspaceProps) {
  const budgets = useGet('GET /workspaces/{id}/budgets', { params: { id } })
  return (
    <BudgetSection
      title={`Budgets of the workspace ${name}`}
      hint="The spending of all keys and members of the workspace counts together."
      budgets={budgets}
      canChange={canChange}
      store={{
        load: async (interval) =>
          (await call('GET /workspaces/{id}/budgets/{interval}', { params: { id, interval } })).data,
        save: async (interval, body, options) =>
          void (await call('PUT /workspaces/{id}/budgets/{interval}', { params: { id, interval }, body }, options)),
        remove: async (interval, options) =>
          void (await call('DELETE /workspaces/{id}/budgets/{interval}', { params: { id, interval } }, options)),
      }}
    />
  )
}

function OrganizationBudgets({ name, canChange }: { name: string; canChange: boolean }) {
  const budgets = useGet('GET /organization/budgets', {})
  return (
    <BudgetSection
      title={`Budgets of the organization ${name}`}
      hint="The spending of all workspaces counts together."
      budgets={budgets}
      canChange={canChange}
      store={{
        load: async (interval) => (await call('GET /organization/budgets/{interval}', { params: { interval } })).data,
        save: async (interval, body, options) =>
          void (await call('PUT /organization/budgets/{interval}', { params: { interval }, body }, options)),
        remove: async (interval, options) =>
          void (await call('DELETE /organization/budgets/{interval}', { params: { interval } }, options)),
      }}
    />
  )
}

type SectionProps = {
  title: string
  hint: string
  budgets: Resource<{ data: Budget[]; include_byok_in_budgets: boolean }>
  canChange: boolean
  store: BudgetStore
}

function BudgetSection({ title, hint, budgets, canChange, store }: SectionProps) {
  const [editedInterval, setEditedInterval] = useState<BudgetInterval>()
  const { data, failure, reload } = budgets
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      <p class="dim">
        {hint} {data && byokNote(data.include_byok_in_budgets)}
      </p>
      {failure && <FailureState failure={failure} onRetry={reload} />}
      {!failure && !data && <Loading />}
      {!failure && data && (
        <BudgetTable
          label={title}
          rows={budgetIntervals.map((interval) => rowOf(interval, data.data))}
          actions={canChange ? (row) => <ChangeButton row={row} title={title} onOpen={setEditedInterval} /> : undefined}
        />
      )}
      {editedInterval && data && (
        <BudgetDialog
          title={title}
          interval={editedInterval}
          budget={budgetOf(editedInterval, data.data)}
          includesByok={data.include_byok_in_budgets}
          store={store}
          onChanged={reload}
          onClose={() => setEditedInterval(undefined)}
        />
      )}
    </section>
  )
}

type ButtonProps = { row: BudgetRow; title: string; onOpen: (interval: BudgetInterval) => void }

function ChangeButton({ row, title, onOpen }: ButtonProps) {
  const verb = row.limit_usd === null ? 'Set' : 'Change'
  return (
    <button
      type="button"
      aria-label={`${verb} the ${row.id} budget, ${title}`}
      onClick={() => onOpen(row.id as BudgetInterval)}
    >
      {verb}
    </button>
  )
}

const byokNote = (isIncluded: boolean) =>
  `Spending on your own provider keys ${isIncluded ? 'counts' : 'does not count'}.`

const budgetOf = (interval: BudgetInterval, budgets: Budget[]) =>
  budgets.find(({ reset_interval }) => (reset_interval ?? 'lifetime') === interval)

/** The row of an interval, also without a budget. */
function rowOf(interval: BudgetInterval, budgets: Budget[]): BudgetRow {
  const empty = { limit_usd: null, spent_usd: null, unconfirmed_usd: null, held_usd: null, resets_at: null }
  return { ...empty, ...budgetOf(interval, budgets), id: interval, name: interval }
}
