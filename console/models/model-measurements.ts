import { call } from '../api/client.ts'
import { useResource } from '../api/resource.ts'

/** Measurements of a model from the session’s requests of the last 30 days. Latencies are in milliseconds. */
type ModelMeasurements = { requests: number; firstToken: number | null; throughput: number | null }
export type MeasurementsByModel = ReadonlyMap<string, ModelMeasurements>

async function load(signal: AbortSignal): Promise<MeasurementsByModel> {
  const metrics = ['request_count', 'latency_p50', 'throughput_p50'] as const
  const body = { metrics: [...metrics], dimensions: ['model' as const] }
  const { data } = (await call('POST /analytics/query', { body }, { signal })).data
  const rows = data as { [name: string]: unknown }[]
  return new Map(
    rows.map((row) => [
      String(row.model),
      {
        requests: Number(row.request_count),
        firstToken: row.latency_p50 as number | null,
        throughput: row.throughput_p50 as number | null,
      },
    ]),
  )
}

const noMeasurements: MeasurementsByModel = new Map()

/** The measurements; empty until loaded. */
export const useMeasurements = (): MeasurementsByModel => useResource('measured models', load).data ?? noMeasurements
