import { useMemo, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { call } from '../api/client.ts'
import { asFailure } from '../api/failure.ts'
import { useEvery } from '../api/pages.ts'
import { forget } from '../api/resource.ts'
import { useMe } from '../api/session.ts'
import type { Guardrail } from '../api/types.ts'
import { hasDraft } from '../components/drafts.ts'
import { Heading } from '../components/heading.tsx'
import { Failed, Loading, Nothing, Progress } from '../components/page-states.tsx'
import { meaningOf } from '../components/policy-description.ts'
import { type Column, Table } from '../components/table.tsx'
import { counted } from '../format/count.ts'
import { Spent } from './limit-usage.tsx'
import { policyIn } from './policy.ts'

type Row = { guardrail: Guardrail; means: string; governs: string }

const paste = `curl "$BASE_URL/guardrails" -H "Authorization: Bearer $MANAGEMENT_KEY" \\
  -H 'content-type: application/json' \\
  -d '{"name": "Small change", "limit_usd": 1, "reset_interval": "daily"}'`

/** All guardrails, each with what it means, whom it governs and what is spent of its limit. */
export function GuardrailList({ mayChange }: { mayChange: boolean }) {
  const { route } = useLocation()
  const { data, failure, isLoading, isCurrent, reload } = useEvery('GET /guardrails', {})
  const governs = useGoverned()
  const rows = data?.map((guardrail) => ({
    guardrail,
    means: meaningOf(policyIn(guardrail)).join(' ') || 'No restrictions.',
    governs: governs(guardrail.id),
  }))
  return (
    <div class="screen guardrails">
      <Heading isUnseen>Guardrails</Heading>
      <Progress isOn={isLoading && !isCurrent} />
      <Bar mayChange={mayChange} count={data?.length} />
      {failure && <Failed failure={failure} again={reload} />}
      {!failure && !rows && <Loading />}
      {!failure && rows?.length === 0 && (
        <Nothing title="No guardrails yet" {...(mayChange && { paste })}>
          <p>Everything is allowed, without limits.{mayChange && ' Enter a name above, or run:'}</p>
        </Nothing>
      )}
      {!failure && rows && rows.length > 0 && (
        <Table<Row>
          label="Guardrails"
          rows={rows}
          columns={columns}
          keyOf={({ guardrail }) => guardrail.id}
          onOpen={({ guardrail }) => route(`/guardrails/${guardrail.id}`)}
          narrow={Narrow}
        />
      )}
    </div>
  )
}

const columns: Column<Row>[] = [
  { name: 'name', title: 'name', width: 'minmax(150px, 1.2fr)', cell: ({ guardrail }) => <Name of={guardrail} /> },
  {
    name: 'means',
    title: 'effect',
    width: 'minmax(160px, 2fr)',
    cell: ({ means }) => <span title={means}>{means}</span>,
  },
  { name: 'governs', title: 'applies to', width: 'minmax(110px, 0.8fr)', from: 700, cell: ({ governs }) => governs },
  { name: 'spent', title: 'spent', width: '290px', cell: ({ guardrail }) => <Spent guardrail={guardrail} /> },
]

function Name({ of: { id, name } }: { of: Guardrail }) {
  return (
    <span>
      <b>{name}</b>
      {hasDraft(id) && <span class="warn"> not saved yet</span>}
    </span>
  )
}

function Narrow({ guardrail, means, governs }: Row) {
  return (
    <div class="guardrail-narrow">
      <div>
        <Name of={guardrail} /> <span class="dim">{governs}</span>
      </div>
      <div>{guardrail.limit_usd === null ? <span class="dim">{means}</span> : <Spent guardrail={guardrail} />}</div>
    </div>
  )
}

/** Whom each guardrail governs, in a few words. */
function useGoverned(): (id: string) => string {
  const workspaces = useEvery('GET /workspaces', {}).data
  const keys = useEvery('GET /guardrails/assignments/keys', {}).data
  const members = useEvery('GET /guardrails/assignments/members', {}).data
  const counts = useMemo(() => ({ key: countsIn(keys ?? []), member: countsIn(members ?? []) }), [keys, members])
  return (id) => {
    const workspace = workspaces?.find(({ default_guardrail_id }) => default_guardrail_id === id)
    if (workspace) return `the whole workspace ${workspace.name}`
    if (!workspaces || !keys || !members) return '…'
    const parts = (['key', 'member'] as const).flatMap((kind) => {
      const count = counts[kind].get(id)
      return count === undefined ? [] : [counted(count, kind)]
    })
    return parts.join(', ') || 'not assigned'
  }
}

/** How many each guardrail governs. */
function countsIn(assignments: { guardrail_id: string }[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { guardrail_id: id } of assignments) counts.set(id, (counts.get(id) ?? 0) + 1)
  return counts
}

function Bar({ mayChange, count }: { mayChange: boolean; count: number | undefined }) {
  const { route } = useLocation()
  const [problem, setProblem] = useState<string>()
  const own = useMe()?.workspace.id
  const workspaces = useEvery('GET /workspaces', mayChange ? {} : undefined).data ?? []
  const make = async (event: Event & { currentTarget: HTMLFormElement }) => {
    event.preventDefault()
    const fields = new FormData(event.currentTarget)
    const name = String(fields.get('name'))
    const workspace_id = String(fields.get('workspace') ?? '')
    try {
      const { data } = await call('POST /guardrails', { body: { name, ...(workspace_id && { workspace_id }) } })
      forget('/guardrails')
      route(`/guardrails/${data.id}`)
    } catch (error) {
      setProblem(asFailure(error).message)
    }
  }
  return (
    <div class="bar">
      {mayChange && (
        <form class="guardrail-new" onSubmit={make}>
          <input name="name" aria-label="Name of a new guardrail" placeholder="Name of the guardrail" required />
          {workspaces.length > 1 && (
            <select name="workspace" aria-label="Workspace of the new guardrail">
              {workspaces.map(({ id, name }) => (
                <option key={id} value={id} selected={id === own}>
                  {name}
                </option>
              ))}
            </select>
          )}
          <button type="submit">Create</button>
        </form>
      )}
      {problem && (
        <span class="bad" role="alert">
          {problem}
        </span>
      )}
      <span class="dim guardrail-count" role="status">
        {count === undefined ? '' : counted(count, 'guardrail')}
      </span>
    </div>
  )
}
