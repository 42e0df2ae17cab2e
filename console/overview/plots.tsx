import { useMemo } from 'preact/hooks'
import { Plot } from '../components/plot/plot.tsx'
import { exactCount } from '../format/count.ts'
import { money } from '../format/money.ts'
import { duration } from '../format/time.ts'
import type { breakdownOf, Row } from './queries.ts'
import { groupsWithLine, lineOf, stackOf, stepsBetween } from './stacked-lines.ts'

type PlotsProps = {
  overTime: Row[]
  groups: Row[]
  groupsOverTime: Row[]
  time: { from: number; to: number; stepMs: number }
  by: ReturnType<typeof breakdownOf>
}

/** Five plots of the time range, with a common cursor. */
export function Plots({ overTime, groups, groupsOverTime, time, by }: PlotsProps) {
  const { from, to, stepMs } = time
  const { times, spent, requests, failures, latency, saving } = useMemo(() => {
    const times = stepsBetween({ from, to, stepMs })
    const line = (metric: string, missing: number | null) => lineOf(overTime, metric, times, missing)
    const visibleGroups = groupsWithLine(groups, by.dimension)
    const stack = (metric: string) => stackOf(groupsOverTime, by.dimension, metric, times, visibleGroups)
    return {
      times,
      spent: stack('upstream_inference_cost'),
      requests: stack('request_count'),
      failures: [
        { label: 'failed', values: line('error_count', 0), colour: '--bad' },
        { label: 'refused', values: line('refused_count', 0), colour: '--warn' },
      ],
      latency: [
        { label: 'p50', values: line('latency_p50', null) },
        { label: 'p95', values: line('latency_p95', null), dash: [4, 3] },
      ],
      saving: [{ label: 'saved', values: line('cache_saving', 0), colour: '--ok' }],
    }
  }, [overTime, groups, groupsOverTime, from, to, stepMs, by.dimension])
  const common = { times, syncGroup: 'overview' }
  return (
    <div class="plots">
      <Plot {...common} title={`Spend, by ${by.label}`} lines={spent} format={money} emptyText="No spend" isStacked />
      <Plot {...common} title={`Requests, by ${by.label}`} lines={requests} format={exactCount} isStacked isCount />
      <Plot {...common} title="First token" lines={latency} format={duration} />
      <Plot
        {...common}
        title="Failed and refused requests"
        lines={failures}
        format={exactCount}
        emptyText="No failed or refused requests"
        isStacked
        isCount
      />
      <Plot {...common} title="Savings by provider caches" lines={saving} format={money} emptyText="No savings" />
    </div>
  )
}
