import { useEffect } from 'preact/hooks'
import { call } from '../../api/client.ts'
import { useEvents } from '../../api/events.ts'
import type { Failure } from '../../api/failure.ts'
import { useGet, useResource } from '../../api/resource.ts'
import { canSeeService } from '../../api/session.ts'
import type { Key } from '../../api/types.ts'
import { Loading } from '../../components/page/page-states.tsx'
import { dayMs } from '../../format/time.ts'
import type { Budget } from '../budgets.ts'
import type { Row } from '../queries.ts'
import {
  brokenEndpoints,
  exceededBudgets,
  expiringKeys,
  failedInterns,
  failingEndpoints,
  openCircuits,
  type ProblemItem,
  unconfiguredProviders,
} from './problems.ts'
import { serviceProblems } from './service-problems.ts'

/** Checks the endpoints of this number of most used models. */
const maxModels = 8

const timeRange = (ms: number) => ({
  start: new Date(Date.now() - ms).toISOString(),
  end: new Date(Date.now()).toISOString(),
})

async function failuresOfLastHour(signal: AbortSignal): Promise<Row[]> {
  const metrics = ['request_count', 'error_count', 'refused_count'] as const
  const dimensions = ['endpoint', 'error'] as const
  const body = { metrics: [...metrics], dimensions: [...dimensions], time_range: timeRange(3_600_000) }
  return (await call('POST /analytics/query', { body }, { signal })).data.data
}

/** The endpoints of the most used models that had requests today. */
async function recentlyUsedEndpoints(signal: AbortSignal) {
  const metrics = ['request_count'] as const
  const body = { metrics: [...metrics], dimensions: ['model' as const], time_range: timeRange(dayMs) }
  const [usage, top] = await Promise.all([
    call('POST /analytics/query', { body }, { signal }),
    call('GET /models', { query: { sort: 'top-weekly', limit: maxModels } }, { signal }),
  ])
  const usedModels = new Set(usage.data.data.map((row: Row) => row.model))
  const responses = await Promise.all(
    top.data
      .filter(({ id }) => usedModels.has(id))
      .map(({ id }) => {
        const [author = '', slug = ''] = id.split('/')
        return call('GET /models/{author}/{slug}/endpoints', { params: { author, slug } }, { signal })
      }),
  )
  return responses.flatMap(({ data }) => data.endpoints)
}

/** `isComplete`: all data was read, so an empty list means that nothing is wrong. */
type ProblemsState = { problems: ProblemItem[]; isComplete: boolean; failure: Failure | undefined }

/** The current problems. @param refreshCount reloads the data when it changes. */
export function useProblems(budgets: Budget[], keys: Key[], refreshCount: number): ProblemsState {
  const failures = useResource('failures of the last hour', failuresOfLastHour)
  const endpoints = useResource('recently used endpoints', recentlyUsedEndpoints)
  const interns = useGet('GET /interns', { query: { status: 'failed,destroy_failed', limit: 20 } })
  const service = useGet('GET /status', canSeeService() ? {} : undefined)
  const reload = service.reload
  const status = service.data?.data
  useEvents('circuit', reload)
  useEffect(() => {
    if (refreshCount > 0) for (const { reload } of [failures, endpoints, interns, service]) reload()
  }, [refreshCount])
  const now = Date.now()
  const all = [
    ...(status ? [...serviceProblems(status, now), ...openCircuits(status.circuits)] : []),
    ...brokenEndpoints(endpoints.data ?? []),
    ...unconfiguredProviders(endpoints.data ?? [], status?.host.providers_without_credential),
    ...failingEndpoints(failures.data ?? []),
    ...failedInterns(interns.data?.data ?? [], status?.organization?.interns.failed),
    ...exceededBudgets(budgets),
    ...expiringKeys(keys, now),
  ]
  const reads = [failures, endpoints, interns, ...(canSeeService() ? [service] : [])]
  return {
    problems: all.sort((a, b) => Number(b.tone === 'bad') - Number(a.tone === 'bad')),
    isComplete: reads.every(({ data }) => data !== undefined),
    failure: reads.find(({ failure }) => failure)?.failure,
  }
}

export function CurrentProblems({ problems, isComplete, failure }: ProblemsState) {
  if (problems.length === 0 && !isComplete) {
    return failure ? <p class="dim">Current problems could not be loaded: {failure.message}</p> : <Loading />
  }
  if (problems.length === 0) {
    return (
      <p class="no-problems">
        <span class="dot ok" />
        No problems.
      </p>
    )
  }
  return (
    <ul class="problems" aria-label="Current problems">
      {problems.map(({ id, tone, title, reason, path }) => (
        <li key={id}>
          <span class={`dot ${tone}`} />
          <span>
            {path === undefined ? <b>{title}</b> : <a href={path}>{title}</a>} <span class="dim">{reason}</span>
          </span>
        </li>
      ))}
    </ul>
  )
}
