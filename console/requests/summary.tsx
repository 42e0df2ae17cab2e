import { useEffect } from 'preact/hooks'
import { call } from '../api/client.ts'
import { useResource } from '../api/resource.ts'
import { role } from '../api/session.ts'
import type { AnalyticsRow, Key } from '../api/types.ts'
import { Spark } from '../components/plot/spark.tsx'
import { count, exactCount, percent } from '../format/count.ts'
import { exactMoney, money } from '../format/money.ts'
import { duration } from '../format/time.ts'
import { bucketValues, type SummaryQuery, summaryQuery } from './summary-query.ts'

const refreshMs = 10_000

/** A row with the requested metrics by name. */
type Row = AnalyticsRow & Record<string, unknown>
type Summary = { query: SummaryQuery; total: Row | undefined; series: Row[] }

async function load(query: SummaryQuery, signal: AbortSignal): Promise<Summary> {
  const { time_range, filters, granularity } = query
  const scope = { time_range, filters }
  const [total, series] = await Promise.all([
    call(
      'POST /analytics/query',
      {
        body: {
          ...scope,
          metrics: ['request_count', 'error_count', 'refused_count', 'total_usage', 'latency_p50', 'latency_p95'],
        },
      },
      { signal },
    ),
    call(
      'POST /analytics/query',
      { body: { ...scope, granularity, metrics: ['request_count', 'error_count', 'refused_count'] } },
      { signal },
    ),
  ])
  return { query, total: total.data.data[0] as Row | undefined, series: series.data.data as Row[] }
}

type SummaryProps = { values: Readonly<Record<string, string>>; isLive: boolean; paidBy: Key | undefined }

/** The totals of the listed requests. */
export function SummaryStrip({ values, isLive, paidBy }: SummaryProps) {
  // With a fixed time, so that the key changes with the filters only.
  const queryAtZero = summaryQuery(values, 0)
  const key = queryAtZero && `summary ${JSON.stringify(queryAtZero)}`
  const { data, reload } = useResource(key, (signal) => load(summaryQuery(values, Date.now())!, signal))
  useEffect(() => {
    if (!isLive) return
    const timer = setInterval(() => !document.hidden && reload(), refreshMs)
    return () => clearInterval(timer)
  }, [isLive, reload])
  if (!queryAtZero) return null
  return (
    <div class="summary">
      {data ? <Figures {...data} paidBy={paidBy} /> : <MissingFigures label={queryAtZero.label} />}
    </div>
  )
}

const requestsName = (label: string) => `${role() === 'developer' ? 'your requests' : 'requests'}, ${label}`
const latencyName = 'first token p50 / p95'
const failuresName = 'failed, refused'

/** Takes the space of the figures until they are loaded, so that the list does not move. */
const MissingFigures = ({ label }: { label: string }) =>
  [requestsName(label), 'spent', latencyName, failuresName].map((name) => <Figure key={name} name={name} value="–" />)

function Figures({ query, total, series, paidBy }: Summary & { paidBy: Key | undefined }) {
  const figure = (name: string) => Number(total?.[name] ?? 0)
  const requests = figure('request_count')
  const failureCount = figure('error_count') + figure('refused_count')
  const rate = requests / query.seconds
  const latency = (name: string) => (typeof total?.[name] === 'number' ? duration(Math.round(total?.[name])) : '–')
  const failures = series.map((row) => ({ ...row, bad: Number(row.error_count ?? 0) + Number(row.refused_count ?? 0) }))
  return (
    <>
      <Figure name={requestsName(query.label)} value={exactCount(requests)} note={requests > 0 ? rateOf(rate) : ''} />
      <Figure
        name="spent"
        value={money(figure('total_usage'))}
        exact={exactMoney(figure('total_usage'))}
        note={typeof paidBy?.limit === 'number' ? `of ${money(paidBy.limit)}` : ''}
      />
      <Figure name={latencyName} value={latency('latency_p50')} note={`/ ${latency('latency_p95')}`} />
      <Figure
        name={failuresName}
        value={percent(requests > 0 ? failureCount / requests : 0)}
        note={exactCount(failureCount)}
      />
      <Spark
        label={`Requests over time, ${query.label}, and those that failed or were refused`}
        lines={[
          { values: bucketValues(series, 'request_count', query), tone: 'accent' },
          { values: bucketValues(failures, 'bad', query), tone: 'bad' },
        ]}
      />
    </>
  )
}

const rateOf = (perSecond: number) => (perSecond >= 0.1 ? `${perSecond.toFixed(1)}/s` : `${count(perSecond * 3600)}/h`)

function Figure({ name, value, note, exact }: { name: string; value: string; note?: string; exact?: string }) {
  return (
    <div class="figure">
      <span class="dim">{name}</span>
      <b title={exact}>{value}</b> <span class="dim">{note}</span>
    </div>
  )
}
