import { useMemo } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { workspaceInAddress } from '../api/address/workspace-path.ts'
import { call } from '../api/client.ts'
import { useAllRows } from '../api/pages.ts'
import { invalidate } from '../api/resource.ts'
import { currentSession } from '../api/session.ts'
import type { Guardrail } from '../api/types.ts'
import { hasDraft } from '../components/form/drafts.ts'
import { useAction } from '../components/form/use-action.ts'
import { Heading } from '../components/page/heading.tsx'
import { EmptyState, FailureState, Loading, Progress } from '../components/page/page-states.tsx'
import { Problem } from '../components/page/problem.tsx'
import { describePolicy } from '../components/policy/policy-description.ts'
import { type Column, Table } from '../components/table/table.tsx'
import { countText } from '../format/count.ts'
import { LimitUsage } from './limit-usage.tsx'
import { policyOf } from './policy.ts'

type Row = {
  guardrail: Pick<Guardrail, 'id' | 'name' | 'limit_usd' | 'reset_interval'>
  effect: string
  appliesTo: string
}

const exampleCommand = `curl "$BASE_URL/guardrails" -H "Authorization: Bearer $MANAGEMENT_KEY" \\
  -H 'content-type: application/json' \\
  -d '{"name": "Small change", "limit_usd": 1, "reset_interval": "daily"}'`

/** All guardrails with their effect, assignments and spend. */
export function GuardrailList({ canChange }: { canChange: boolean }) {
  const { route } = useLocation()
  const { data, failure, isLoading, isCurrent, reload } = useAllRows('GET /guardrails', {})
  const appliesTo = useAppliesTo()
  const unsetDefaults = useUnsetDefaults(data)
  const rows = data && [
    ...data.map((guardrail) => ({
      guardrail,
      effect: describePolicy(policyOf(guardrail)).join(' ') || 'No restrictions.',
      appliesTo: appliesTo(guardrail.id),
    })),
    ...unsetDefaults,
  ]
  return (
    <div class="screen guardrails">
      <Heading isHidden>Guardrails</Heading>
      <Progress isOn={isLoading && !isCurrent} />
      <Bar canChange={canChange} count={data?.length} />
      {failure && <FailureState failure={failure} onRetry={reload} />}
      {!failure && !rows && <Loading />}
      {!failure && data?.length === 0 && (
        <EmptyState title="No guardrails yet" command={canChange ? exampleCommand : undefined}>
          <p>Everything is allowed, without limits.{canChange && ' Enter a name above, or run:'}</p>
        </EmptyState>
      )}
      {!failure && rows && rows.length > 0 && (
        <Table<Row>
          label="Guardrails"
          rows={rows}
          columns={columns}
          keyOf={({ guardrail }) => guardrail.id}
          onOpen={({ guardrail }) => route(`/guardrails/${guardrail.id}`)}
          narrow={GuardrailCard}
        />
      )}
    </div>
  )
}

const columns: Column<Row>[] = [
  {
    name: 'name',
    title: 'name',
    width: 'minmax(150px, 1.4fr)',
    cell: ({ guardrail }) => <Name guardrail={guardrail} />,
  },
  {
    name: 'effect',
    title: 'effect',
    width: 'minmax(160px, 1.8fr)',
    cell: ({ effect }) => <span title={effect}>{effect}</span>,
  },
  {
    name: 'applies',
    title: 'applies to',
    width: 'minmax(130px, 1fr)',
    from: 700,
    cell: ({ appliesTo }) => appliesTo,
  },
  { name: 'spent', title: 'spent', width: '290px', cell: ({ guardrail }) => <LimitUsage guardrail={guardrail} /> },
]

function Name({ guardrail: { id, name } }: { guardrail: Row['guardrail'] }) {
  return (
    <span>
      <b>{name}</b>
      {hasDraft(id) && <span class="warn"> not saved yet</span>}
    </span>
  )
}

function GuardrailCard({ guardrail, effect, appliesTo }: Row) {
  return (
    <div class="guardrail-narrow">
      <div>
        <Name guardrail={guardrail} /> <span class="dim">{appliesTo}</span>
      </div>
      <div>
        {guardrail.limit_usd === null ? <span class="dim">{effect}</span> : <LimitUsage guardrail={guardrail} />}
      </div>
    </div>
  )
}

/**
 * Rows for the default guardrails that nobody has changed yet: the service creates them at the first change. Without these rows
 * a new guardrail, which applies to nobody, could be mistaken for the default.
 */
function useUnsetDefaults(guardrails: Guardrail[] | undefined): Row[] {
  const workspaceId = currentSession()?.workspace.id
  const isSingleWorkspace = workspaceInAddress() !== undefined
  const workspaces = useAllRows('GET /workspaces', {}).data
  if (!guardrails || !workspaces) return []
  return workspaces
    .filter(({ id }) => !isSingleWorkspace || id === workspaceId)
    .filter(({ default_guardrail_id }) => !guardrails.some(({ id }) => id === default_guardrail_id))
    .map(({ default_guardrail_id: id, name }) => ({
      guardrail: { id, name: `Workspace ${name} Default`, limit_usd: null, reset_interval: null },
      effect: 'No restrictions.',
      appliesTo: `workspace ${name}`,
    }))
}

/** Describes what each guardrail applies to. */
function useAppliesTo(): (id: string) => string {
  const workspaces = useAllRows('GET /workspaces', {}).data
  const keys = useAllRows('GET /guardrails/assignments/keys', {}).data
  const members = useAllRows('GET /guardrails/assignments/members', {}).data
  const counts = useMemo(
    () => ({ key: countByGuardrail(keys ?? []), member: countByGuardrail(members ?? []) }),
    [keys, members],
  )
  return (id) => {
    const workspace = workspaces?.find(({ default_guardrail_id }) => default_guardrail_id === id)
    if (workspace) return `workspace ${workspace.name}`
    if (!workspaces || !keys || !members) return '…'
    const parts = (['key', 'member'] as const).flatMap((kind) => {
      const count = counts[kind].get(id)
      return count === undefined ? [] : [countText(count, kind)]
    })
    return parts.join(', ') || 'not assigned'
  }
}

/** The number of assignments of each guardrail. */
function countByGuardrail(assignments: { guardrail_id: string }[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { guardrail_id: id } of assignments) counts.set(id, (counts.get(id) ?? 0) + 1)
  return counts
}

function Bar({ canChange, count }: { canChange: boolean; count: number | undefined }) {
  const { route } = useLocation()
  const { problem, onSubmit } = useAction()
  const sessionWorkspaceId = currentSession()?.workspace.id
  const isOrganizationWide = canChange && workspaceInAddress() === undefined
  const workspaces = useAllRows('GET /workspaces', isOrganizationWide ? {} : undefined).data ?? []
  const create = onSubmit(async (form) => {
    const fields = new FormData(form)
    const name = String(fields.get('name'))
    const workspace_id = String(fields.get('workspace') ?? '')
    const { data } = await call('POST /guardrails', { body: { name, workspace_id: workspace_id || undefined } })
    invalidate('/guardrails')
    route(`/guardrails/${data.id}`)
  })
  return (
    <div class="bar">
      {canChange && (
        <form class="guardrail-new" onSubmit={create}>
          <input name="name" aria-label="Name of a new guardrail" placeholder="New guardrail" required />
          {workspaces.length > 1 && (
            <select name="workspace" aria-label="Workspace of the new guardrail">
              {workspaces.map(({ id, name }) => (
                <option key={id} value={id} selected={id === sessionWorkspaceId}>
                  {name}
                </option>
              ))}
            </select>
          )}
          <button type="submit">Create</button>
        </form>
      )}
      <Problem text={problem} />
      <span class="dim guardrail-count" role="status">
        {count === undefined ? '' : countText(count, 'guardrail')}
      </span>
    </div>
  )
}
