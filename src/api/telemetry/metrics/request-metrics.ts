import type { FinishedRequest } from '#platform/http/response/request-tracking.ts'
import { createHistogram, type Metric } from '#platform/metrics/metric.ts'
import { apiPrefix } from '../../access/prefix.ts'

const requestSeconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]

const completionPaths = [
  '/chat/completions',
  '/responses',
  '/messages',
  '/interns/:internId/chat/completions',
  '/interns/:internId/sessions/:sessionId/chat/completions',
]

/**
 * Series that alerts watch. They start at 0: Prometheus cannot see an increase of a series that did not exist before.
 */
const initialSeries = [
  ...completionPaths.flatMap((path) => ['200', '502', '503', '504'].map((status) => ['POST', path, status] as const)),
  ...['/activity', '/health', '/health/ready'].flatMap((path) =>
    ['200', '503'].map((status) => ['GET', path, status] as const),
  ),
]

/** Finished HTTP requests and their duration. */
export function requestMetrics(): { all: Metric[]; observe: (request: Omit<FinishedRequest, 'id'>) => void } {
  const requests = createHistogram({
    name: 'signalbox_http_request_duration_seconds',
    help: 'Requests and their duration, by route and status.',
    labels: ['method', 'route', 'status'],
    buckets: requestSeconds,
  })
  for (const [method, route, status] of initialSeries) requests.start(method, apiPrefix + route, status)
  return {
    all: [requests],
    observe: ({ method, route, status, seconds }) => requests.observe(seconds, method, route, String(status)),
  }
}
