import { useEffect } from 'preact/hooks'
import { call } from '../api/client.ts'
import { useEvents } from '../api/events.ts'
import type { Failure } from '../api/failure.ts'
import { useGet, useResource } from '../api/resource.ts'
import { seesService } from '../api/session.ts'
import type { Key } from '../api/types.ts'
import { Loading } from '../components/page-states.tsx'
import type { Budget } from './budgets.ts'
import {
  brokenEndpoints,
  endingKeys,
  failedInterns,
  failingEndpoints,
  openCircuits,
  silentProviders,
  spentBudgets,
  type Trouble,
} from './problems.ts'
import type { Row } from './queries.ts'
import { serviceTroubles } from './service-problems.ts'

/** Endpoints of so many models are looked at: those that were asked most. */
const modelsLookedAt = 8

const since = (ms: number) => ({
  start: new Date(Date.now() - ms).toISOString(),
  end: new Date(Date.now()).toISOString(),
})

async function failuresOfLastHour(signal: AbortSignal): Promise<Row[]> {
  const metrics = ['request_count', 'error_count', 'refused_count'] as const
  const dimensions = ['endpoint', 'error'] as const
  const body = { metrics: [...metrics], dimensions: [...dimensions], time_range: since(3_600_000) }
  return (await call('POST /analytics/query', { body }, { signal })).data.data
}

/** Of the models that are asked most, those that were asked today. */
async function endpointsAskedLately(signal: AbortSignal) {
  const metrics = ['request_count'] as const
  const body = { metrics: [...metrics], dimensions: ['model' as const], time_range: since(86_400_000) }
  const [asked, top] = await Promise.all([
    call('POST /analytics/query', { body }, { signal }),
    call('GET /models', { query: { sort: 'top-weekly', limit: modelsLookedAt } }, { signal }),
  ])
  const lately = new Set(asked.data.data.map((row: Row) => row.model))
  const answers = await Promise.all(
    top.data
      .filter(({ id }) => lately.has(id))
      .map(({ id }) => {
        const [author = '', slug = ''] = id.split('/')
        return call('GET /models/{author}/{slug}/endpoints', { params: { author, slug } }, { signal })
      }),
  )
  return answers.flatMap(({ data }) => data.endpoints)
}

/** `isWhole` says that all was read: before, nobody knows that nothing is wrong. */
type Looked = { troubles: Trouble[]; isWhole: boolean; failure: Failure | undefined }

/** What is wrong now, from all that the API has. @param turn another one whenever it is to be asked again. */
export function useTroubles(budgets: Budget[], keys: Key[], turn: number): Looked {
  const failures = useResource('failures of the last hour', failuresOfLastHour)
  const endpoints = useResource('recently used endpoints', endpointsAskedLately)
  const interns = useGet('GET /interns', { query: { status: 'failed,destroy_failed', limit: 20 } })
  const service = useGet('GET /status', seesService() ? {} : undefined)
  const reload = service.reload
  const status = service.data?.data
  useEvents('circuit', reload)
  useEffect(() => {
    if (turn > 0) for (const { reload } of [failures, endpoints, interns, service]) reload()
  }, [turn])
  const now = Date.now()
  const all = [
    ...(status ? [...serviceTroubles(status, now), ...openCircuits(status.circuits)] : []),
    ...brokenEndpoints(endpoints.data ?? []),
    ...silentProviders(endpoints.data ?? [], status?.host.providers_without_credential),
    ...failingEndpoints(failures.data ?? []),
    ...failedInterns(interns.data?.data ?? [], status?.organization?.interns.failed),
    ...spentBudgets(budgets),
    ...endingKeys(keys, now),
  ]
  const asked = [failures, endpoints, interns, ...(seesService() ? [service] : [])]
  return {
    troubles: all.sort((a, b) => Number(b.tone === 'bad') - Number(a.tone === 'bad')),
    isWhole: asked.every(({ data }) => data !== undefined),
    failure: asked.find(({ failure }) => failure)?.failure,
  }
}

export function WrongNow({ troubles, isWhole, failure }: Looked) {
  if (troubles.length === 0 && !isWhole) {
    return failure ? <p class="dim">Current problems could not be loaded: {failure.message}</p> : <Loading />
  }
  if (troubles.length === 0) {
    return (
      <p class="all-well">
        <span class="dot ok" />
        No problems.
      </p>
    )
  }
  return (
    <ul class="troubles" aria-label="Current problems">
      {troubles.map(({ id, tone, what, why, path }) => (
        <li key={id}>
          <span class={`dot ${tone}`} />
          <span>
            <a href={path}>{what}</a> <span class="dim">{why}</span>
          </span>
        </li>
      ))}
    </ul>
  )
}
