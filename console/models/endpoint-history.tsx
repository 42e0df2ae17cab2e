import { useMemo } from 'preact/hooks'
import { useGet } from '../api/resource.ts'
import type { EndpointHistory } from '../api/types.ts'
import { FailureState } from '../components/page/page-states.tsx'
import { Plot } from '../components/plot/plot.tsx'
import type { PlotLine } from '../components/plot/plot-shapes.ts'
import { percent } from '../format/count.ts'
import { duration } from '../format/time.ts'

/** Hourly measurements of the endpoints of a model. */
export function History({ modelId }: { modelId: string }) {
  const { data, failure, reload } = useGet('GET /endpoints/history', { query: { model: modelId } })
  const plots = useMemo(() => (data ? linesOf(data.data, Date.now()) : undefined), [data])
  if (failure) return <FailureState failure={failure} onRetry={reload} />
  if (!plots) return null
  return (
    <>
      <h2>Last 24 hours</h2>
      {plots.uptime.length === 0 ? (
        <p class="dim">No requests in this time range.</p>
      ) : (
        <div class="model-history">
          <Plot
            emptyText={tooFewText}
            title="First token, p50"
            times={plots.times}
            lines={plots.latency}
            format={duration}
            syncGroup="model"
          />
          <Plot
            emptyText={tooFewText}
            title="Tokens per second, p50"
            times={plots.times}
            lines={plots.throughput}
            format={formatSpeed}
            syncGroup="model"
          />
          <Plot title="Uptime" times={plots.times} lines={plots.uptime} format={formatUptime} syncGroup="model" />
        </div>
      )}
    </>
  )
}

/** The service shows percentiles of at least five requests. */
const tooFewText = 'Fewer than five requests in each hour, too few for percentiles'

const formatSpeed = (value: number) => value.toFixed(0)
const formatUptime = (value: number) => percent(value / 100)

/** Dash patterns that distinguish lines without colour. */
const dashes = [undefined, [6, 3], [2, 3], [8, 3, 2, 3]]

type Point = EndpointHistory['points'][number]

const hourMs = 3_600_000
const hoursShown = 24

/** The lines of all endpoints for 24 hours. Hours without measurements are null. */
function linesOf(histories: EndpointHistory[], now: number) {
  const last = Math.floor(now / hourMs)
  const dates = Array.from({ length: hoursShown }, (_, index) => (last - hoursShown + 1 + index) * hourMs)
  const measuredHistories = histories.filter(({ points }) => points.length > 0)
  const lines = (figureOf: (point: Point) => number | null | undefined): PlotLine[] =>
    measuredHistories.map(({ tag, points }, index) => {
      const byDate = new Map(points.map((point) => [Date.parse(point.date), figureOf(point) ?? null]))
      const dash = dashes[index % dashes.length]
      return { label: tag, values: dates.map((date) => byDate.get(date) ?? null), dash }
    })
  return {
    times: dates.map((date) => date / 1000),
    latency: lines(({ latency }) => latency?.p50),
    throughput: lines(({ throughput }) => throughput?.p50),
    uptime: lines(({ uptime }) => uptime),
  }
}
