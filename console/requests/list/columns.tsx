import type { Generation } from '../../api/types.ts'
import type { Column } from '../../components/table/table.tsx'
import { ClockTime } from '../../components/text/timestamp.tsx'
import { Usd } from '../../components/text/usd.tsx'
import { count, exactCount } from '../../format/count.ts'
import { duration } from '../../format/time.ts'
import { outcomeOf } from './outcome.ts'

type KeyName = (hash: string) => string

const dash = <span class="dim">–</span>

const hasTokens = (row: Generation) => (row.tokens_prompt ?? 0) + (row.tokens_completion ?? 0) > 0

/** `1.2k → 88`, the exact counts on hover. */
function Tokens({ row }: { row: Generation }) {
  const [prompt, completion] = [row.tokens_prompt ?? 0, row.tokens_completion ?? 0]
  if (!hasTokens(row)) return dash
  return (
    <span title={`${exactCount(prompt)} prompt, ${exactCount(completion)} completion`}>
      {count(prompt)} → {count(completion)}
    </span>
  )
}

/** The duration. Refused requests have none, and no cost. */
function Duration({ row }: { row: Generation }) {
  return row.outcome === 'refused' ? dash : <span>{duration(row.generation_time ?? 0)}</span>
}

function Price({ row }: { row: Generation }) {
  return <Usd amount={row.outcome === 'refused' ? null : row.total_cost} />
}

export function Outcome({ row }: { row: Generation }) {
  const { text, tone } = outcomeOf(row)
  return (
    <span title={row.error?.message}>
      <span class={`dot ${tone}`} />
      {text}
    </span>
  )
}

/** The columns of the log. Narrow lists hide the least important. */
export function columnsOf(keyName: KeyName): Column<Generation>[] {
  return [
    {
      name: 'time',
      title: 'time',
      width: '124px',
      cell: (row) => (
        <span class="dim">
          <ClockTime time={row.created_at} />
        </span>
      ),
    },
    {
      name: 'model',
      title: 'model',
      width: 'minmax(192px, 1.5fr)',
      cell: ({ model }) => <span title={model}>{model}</span>,
    },
    {
      name: 'provider',
      title: 'provider',
      width: 'minmax(80px, 1fr)',
      from: 900,
      cell: ({ provider_name }) => <span class="dim">{provider_name ?? '–'}</span>,
    },
    {
      name: 'key',
      title: 'key',
      width: 'minmax(80px, 1fr)',
      from: 980,
      cell: ({ key_hash }) => <span class="dim">{keyName(key_hash)}</span>,
    },
    { name: 'tokens', title: 'tokens', width: '100px', isNumber: true, from: 740, cell: (row) => <Tokens row={row} /> },
    {
      name: 'first',
      title: 'first token',
      width: '84px',
      isNumber: true,
      from: 800,
      cell: ({ latency }) => (latency === null ? dash : duration(latency)),
    },
    {
      name: 'total',
      title: 'duration',
      width: '68px',
      isNumber: true,
      cell: (row) => <Duration row={row} />,
    },
    {
      name: 'cost',
      title: 'cost',
      width: '100px',
      isNumber: true,
      cell: (row) => <Price row={row} />,
    },
    { name: 'outcome', title: 'outcome', width: 'minmax(166px, 1.6fr)', cell: (row) => <Outcome row={row} /> },
  ]
}

/** A row in two lines. */
export function NarrowRow({ row }: { row: Generation }) {
  return (
    <div class="two-lines">
      <div>
        <span>{row.model}</span>
        <span class="dim">
          <ClockTime time={row.created_at} />
        </span>
      </div>
      <div>
        <Outcome row={row} />
        <span class="dim">
          {row.outcome !== 'refused' && (
            <>
              {hasTokens(row) && (
                <>
                  <Tokens row={row} /> ·{' '}
                </>
              )}
              <Duration row={row} /> · <Price row={row} />
            </>
          )}
        </span>
      </div>
    </div>
  )
}
