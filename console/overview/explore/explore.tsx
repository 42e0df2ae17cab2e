import type { ComponentChildren } from 'preact'
import { useLocation } from 'preact-iso/router'
import { call } from '../../api/client.ts'
import { useResource } from '../../api/resource.ts'
import { type Filters, useFilters } from '../../components/filters/filters.ts'
import { runOrToast } from '../../components/form/use-action.ts'
import { Copy } from '../../components/page/copy-button.tsx'
import { Heading } from '../../components/page/heading.tsx'
import { EmptyState, FailureState, Loading, Progress } from '../../components/page/page-states.tsx'
import { Plot } from '../../components/plot/plot.tsx'
import { exactCount } from '../../format/count.ts'
import { preciseMoney } from '../../format/money.ts'
import { maxDay } from '../../format/time.ts'
import { OverviewFilters } from '../overview-filters.tsx'
import { parseFilters, type Row, type Values } from '../queries.ts'
import { monthOf } from '../spending-paths.ts'
import { groupsWithLine, stackOf, stepsBetween } from '../stacked-lines.ts'
import { downloadRows } from './explore-csv.ts'
import {
  daysOf,
  exploreQueries,
  groupings,
  groupingsOf,
  maxTableRows,
  measureOf,
  measures,
  withCombination,
} from './explore-query.ts'
import { ExploreTable } from './explore-table.tsx'

const noNames: ReadonlyMap<string, string> = new Map()

type Result = { rows: Row[]; isTruncated: boolean; overTime: Row[] }

async function load(values: Values, signal: AbortSignal): Promise<Result> {
  const queries = exploreQueries(values, Date.now())
  if (!queries) return { rows: [], isTruncated: false, overTime: [] }
  const query = (body: typeof queries.table | typeof queries.chart) =>
    call('POST /analytics/query', { body }, { signal })
  const [table, chart] = await Promise.all([
    query(queries.table),
    values.view === 'chart' ? query(queries.chart) : undefined,
  ])
  const { data: rows, metadata } = table.data
  return { rows: rows as Row[], isTruncated: metadata.truncated, overTime: (chart?.data.data ?? []) as Row[] }
}

/** Sums of any days by one or two groupings, as a table or a chart. The address has the whole view. */
export function Explore() {
  const filters = useFilters()
  const { values } = filters
  const { url } = useLocation()
  const { data, failure, isLoading, isCurrent, reload } = useResource(`explore ${JSON.stringify(values)}`, (signal) =>
    load(values, signal),
  )
  const dimensions = groupingsOf(values).map(({ dimension }) => dimension)
  const download = () => void runOrToast(() => downloadRows(values))
  return (
    <div class="screen">
      <Heading isHidden>Explore</Heading>
      <Progress isOn={isLoading && !isCurrent} />
      <OverviewFilters filters={filters} groups={[]} keyNames={noNames} hasSpan={false}>
        <a class="button" href="/overview">
          Overview
        </a>
      </OverviewFilters>
      <Choices filters={filters}>
        <button type="button" onClick={download}>
          CSV
        </button>
        <Copy text={location.origin + url} message="Link to this view copied">
          Copy link
        </Copy>
      </Choices>
      {failure && <FailureState failure={failure} onRetry={reload} />}
      {!failure && !data && <Loading />}
      {data?.rows.length === 0 && <EmptyState title={emptyTitle(values)} />}
      {data && data.rows.length > 0 && (
        <div class="overview" aria-busy={isLoading && !isCurrent}>
          {values.view === 'chart' && <Chart values={values} data={data} dimensions={dimensions} />}
          {values.view !== 'chart' && <ExploreTable rows={data.rows} filters={filters} />}
          {data.isTruncated && (
            <p class="dim">Only the first {exactCount(maxTableRows)} rows are displayed. The CSV file has all.</p>
          )}
        </div>
      )}
    </div>
  )
}

function emptyTitle(values: Values): string {
  const { from, to } = daysOf(values, Date.now())
  if (to < from) return 'The last day is before the first day'
  return `No requests on these days${parseFilters(values).length > 0 ? ' match these filters' : ''}`
}

type ChoicesProps = { filters: Filters; children: ComponentChildren }

/** The days, groupings, measure and form of the view. */
function Choices({ filters: { values, set }, children }: ChoicesProps) {
  const days = daysOf(values, Date.now())
  const labels = Object.entries(groupings).map(([name, { label }]) => [name, label] as const)
  const dayInput = (name: 'from' | 'to', label: string) => (
    <label>
      {label}{' '}
      <input
        type="date"
        value={days[name]}
        max={name === 'from' ? days.to : maxDay}
        onChange={(event) => set({ [name]: event.currentTarget.value || undefined })}
      />
    </label>
  )
  const selectInput = (name: string, label: string, options: (readonly [string, string])[]) => (
    <label>
      {label}{' '}
      <select value={values[name] ?? ''} onChange={(event) => set({ [name]: event.currentTarget.value || undefined })}>
        {options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  )
  return (
    <div class="bar explore-bar">
      {dayInput('from', 'from')}
      {dayInput('to', 'to')}
      <span class="dim">UTC</span>
      {(['This month', 'Last month'] as const).map((label, monthsAgo) => (
        <button key={label} type="button" onClick={() => set(monthOf(monthsAgo, Date.now()))}>
          {label}
        </button>
      ))}
      {selectInput(
        'by',
        'by',
        labels.map(([name, label]) => [name === 'model' ? '' : name, label]),
      )}
      {selectInput('then', 'then by', [['', 'nothing'], ...labels])}
      {selectInput(
        'measure',
        'measure',
        Object.entries(measures).map(([name, { label }]) => [name === 'spent' ? '' : name, label]),
      )}
      {selectInput('view', 'view', [
        ['', 'table'],
        ['chart', 'chart'],
      ])}
      {children}
    </div>
  )
}

function Chart({ values, data, dimensions }: { values: Values; data: Result; dimensions: string[] }) {
  const queries = exploreQueries(values, Date.now())
  if (!queries) return null
  const measure = measureOf(values.measure)
  const { metric, label } = measures[measure]
  const times = stepsBetween(queries.time)
  const groups = groupsWithLine(withCombination(data.rows, dimensions), 'combination', metric)
  const lines = stackOf(withCombination(data.overTime, dimensions), 'combination', metric, times, groups)
  const isMoney = measure === 'spent'
  return (
    <Plot
      title={`${label}, by ${groupingsOf(values)
        .map((one) => one.label)
        .join(' and ')}`}
      times={times}
      lines={lines}
      format={isMoney ? preciseMoney : exactCount}
      height={320}
      isStacked
      isCount={!isMoney}
    />
  )
}
