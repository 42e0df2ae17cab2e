import '../components/lazy-chunk.ts'
import { useEffect, useState } from 'preact/hooks'
import { useRoute } from 'preact-iso/router'
import { call } from '../api/client.ts'
import { useResource } from '../api/resource.ts'
import { useFilters } from '../components/filters/filters.ts'
import { Heading } from '../components/page/heading.tsx'
import { NoCredentials } from '../components/page/no-credentials.tsx'
import { NoRequests } from '../components/page/no-requests.tsx'
import { FailureState, Loading, Progress } from '../components/page/page-states.tsx'
import { BudgetBars } from './budget-bars.tsx'
import { Explore } from './explore/explore.tsx'
import { Figures } from './figures.tsx'
import { GroupTable } from './group-table.tsx'
import { OverviewFilters } from './overview-filters.tsx'
import { Plots } from './plots.tsx'
import { CurrentProblems, useProblems } from './problems/current-problems.tsx'
import { breakdownOf, filterNames, overviewQueries, type Row, type Values } from './queries.ts'
import { spanOf } from './time-ranges.ts'
import { useBudgets } from './use-budgets.ts'

const refreshMs = 30_000

type OverviewData = Record<keyof ReturnType<typeof overviewQueries>, Row[]> & {
  time: { from: number; to: number; stepMs: number }
}

/** Reads all data of the screen. The queries are computed at one time, so that they have the same time range. */
async function load(values: Values, signal: AbortSignal): Promise<OverviewData> {
  const queries = overviewQueries(values, Date.now())
  const { start, end } = queries.total.time_range
  const entries = Object.entries(queries).map(
    async ([name, body]) => [name, (await call('POST /analytics/query', { body }, { signal })).data.data] as const,
  )
  const time = { from: Date.parse(start), to: Date.parse(end), stepMs: spanOf(values.last).stepMs }
  return { ...(Object.fromEntries(await Promise.all(entries)) as Omit<OverviewData, 'time'>), time }
}

/** The number of automatic refreshes. It increments every 30 seconds while the page is visible. */
function useRefreshCount(): number {
  const [refreshCount, setRefreshCount] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => !document.hidden && setRefreshCount((previous) => previous + 1), refreshMs)
    return () => clearInterval(timer)
  }, [])
  return refreshCount
}

/** `/overview` shows the state and the totals, `/overview/explore` sums of any days by two groupings. */
export const Screen = () => (useRoute().params.rest === 'explore' ? <Explore /> : <Overview />)

/** The overview: totals, budgets, current problems, plots and groups. */
function Overview() {
  const filters = useFilters()
  const { values } = filters
  const refreshCount = useRefreshCount()
  const { data, failure, isLoading, isCurrent, reload } = useResource(`overview ${JSON.stringify(values)}`, (signal) =>
    load(values, signal),
  )
  useEffect(() => {
    if (refreshCount > 0) reload()
  }, [refreshCount, reload])
  const { budgets, keys, unlistedCount } = useBudgets(values.api_key_hash, refreshCount)
  const by = breakdownOf(values.by)
  const problems = useProblems(budgets, keys, refreshCount)
  const names = new Map(keys.map(({ hash, name }) => [hash, name]))
  const isFiltered = filterNames.some((name) => values[name] !== undefined)
  return (
    <div class="screen">
      <Heading isHidden>Overview</Heading>
      <Progress isOn={isLoading && !isCurrent} />
      <OverviewFilters filters={filters} groups={data?.groups ?? []} keyNames={names}>
        <a class="button" href="/overview/explore">
          Explore
        </a>
      </OverviewFilters>
      {failure && <FailureState failure={failure} onRetry={reload} />}
      {!failure && !data && <Loading />}
      {!failure && data && (
        <div class="overview" aria-busy={isLoading && !isCurrent}>
          <Figures total={data.total[0] ?? {}} previous={data.previous[0] ?? {}} span={spanOf(values.last).label} />
          <div class="current-state">
            <section>
              <h2>Current problems</h2>
              <CurrentProblems {...problems} />
            </section>
            {budgets.length > 0 && (
              <section>
                <h2>Budgets</h2>
                <BudgetBars budgets={budgets} hiddenCount={unlistedCount} />
              </section>
            )}
          </div>
          {data.groups.length === 0 ? (
            <NoRequests
              noMatch={isFiltered && 'No requests in this time range match these filters'}
              onClear={filters.clear}
              title="No requests in this time range"
            >
              <NoCredentials />
              <p>Choose a longer time range above, or send a request:</p>
            </NoRequests>
          ) : (
            <>
              <Plots {...data} by={by} />
              <GroupTable rows={data.groups} by={by} filters={filters} />
            </>
          )}
        </div>
      )}
    </div>
  )
}
