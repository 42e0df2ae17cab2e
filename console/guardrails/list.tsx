import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { call } from '../api/client.ts'
import { asFailure } from '../api/failure.ts'
import { forget, useGet } from '../api/resource.ts'
import type { Guardrail } from '../api/types.ts'
import { counted } from '../format/count.ts'
import { Failed, Loading, Nothing, Progress } from '../pieces/states.tsx'
import { type Column, Table } from '../pieces/table.tsx'
import { policyIn } from './policy.ts'
import { Spent } from './spent.tsx'
import { meaningOf } from './words.ts'

type Row = { guardrail: Guardrail; means: string; governs: string }

const paste = `curl "$BASE_URL/guardrails" -H "Authorization: Bearer $MANAGEMENT_KEY" \\
  -H 'content-type: application/json' \\
  -d '{"name": "Small change", "limit_usd": 1, "reset_interval": "daily"}'`

/** All guardrails, each with what it means, whom it governs and what is spent of its limit. */
export function GuardrailList({ mayChange }: { mayChange: boolean }) {
  const { route } = useLocation()
  const { data, failure, isLoading, isCurrent, reload } = useGet('GET /guardrails', { query: { limit: 100 } })
  const governs = useGoverned()
  const rows = data?.data.map((guardrail) => ({
    guardrail,
    means: meaningOf(policyIn(guardrail)).join(' ') || 'Forbids nothing.',
    governs: governs(guardrail.id),
  }))
  const more = data && data.total_count > data.data.length && `the first ${data.data.length} of ${data.total_count}`
  return (
    <div class="screen guardrails">
      <h1 class="unseen">Guardrails</h1>
      <Progress isOn={isLoading && !isCurrent} />
      <Bar mayChange={mayChange} count={data?.total_count} />
      {failure && <Failed failure={failure} again={reload} />}
      {!failure && !rows && <Loading />}
      {!failure && rows?.length === 0 && (
        <Nothing title="There are no guardrails yet" {...(mayChange && { paste })}>
          <p>Everything is allowed, without a limit.{mayChange && ' Name one above, or paste:'}</p>
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
          foot={more}
        />
      )}
    </div>
  )
}

const columns: Column<Row>[] = [
  { name: 'name', title: 'name', width: 'minmax(150px, 1.2fr)', cell: ({ guardrail }) => <b>{guardrail.name}</b> },
  {
    name: 'means',
    title: 'means',
    width: 'minmax(160px, 2fr)',
    cell: ({ means }) => <span title={means}>{means}</span>,
  },
  { name: 'governs', title: 'governs', width: 'minmax(110px, 0.8fr)', from: 700, cell: ({ governs }) => governs },
  { name: 'spent', title: 'spent', width: '290px', cell: ({ guardrail }) => <Spent guardrail={guardrail} /> },
]

function Narrow({ guardrail, means, governs }: Row) {
  return (
    <div class="guardrail-narrow">
      <div>
        <b>{guardrail.name}</b> <span class="dim">{governs}</span>
      </div>
      <div>{guardrail.limit_usd === null ? <span class="dim">{means}</span> : <Spent guardrail={guardrail} />}</div>
    </div>
  )
}

/** Whom each guardrail governs, in a few words. */
function useGoverned(): (id: string) => string {
  const workspaces = useGet('GET /workspaces', { query: { limit: 100 } }).data?.data
  const keys = useGet('GET /guardrails/assignments/keys', { query: { limit: 100 } }).data
  const members = useGet('GET /guardrails/assignments/members', { query: { limit: 100 } }).data
  return (id) => {
    const workspace = workspaces?.find(({ default_guardrail_id }) => default_guardrail_id === id)
    if (workspace) return `all of ${workspace.name}`
    if (!workspaces || !keys || !members) return '…'
    const of = (all: { guardrail_id: string }[]) => all.filter(({ guardrail_id }) => guardrail_id === id).length
    const isCut = keys.total_count > keys.data.length || members.total_count > members.data.length
    const parts = [
      of(keys.data) > 0 && counted(of(keys.data), 'key'),
      of(members.data) > 0 && counted(of(members.data), 'member'),
    ].filter(Boolean)
    if (parts.length === 0) return isCut ? '…' : 'nobody yet'
    return `${isCut ? 'at least ' : ''}${parts.join(', ')}`
  }
}

function Bar({ mayChange, count }: { mayChange: boolean; count: number | undefined }) {
  const { route } = useLocation()
  const [problem, setProblem] = useState<string>()
  const make = async (event: Event & { currentTarget: HTMLFormElement }) => {
    event.preventDefault()
    const name = String(new FormData(event.currentTarget).get('name'))
    try {
      const { data } = await call('POST /guardrails', { body: { name } })
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
          <input name="name" aria-label="Name of a new guardrail" placeholder="a new guardrail’s name" required />
          <button type="submit">Make it</button>
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
