import type { ApiDeps } from '#api/access/deps.ts'
import type { Metrics } from '#api/telemetry/metrics.ts'
import type { Traces } from '#api/telemetry/traces.ts'
import { throttleWarnings } from '#platform/process/warning-throttle.ts'

/** The inputs of a start. */
export type Parts = Pick<ApiDeps, 'config' | 'settingSources' | 'log' | 'now' | 'newId'> & {
  /** An environment variable's value: the catalogue names those that hold providers' credentials. */
  variable: (name: string) => string | undefined
  /** A monotonic clock in whole milliseconds, for durations. Defaults to the clock of the process. */
  elapsed?: (() => number) | undefined
  /** Aborted when the process must end. A start in progress then skips waits that it does not need. */
  stopping?: AbortSignal
  /** Called when a newer version has changed the database so that this one must stop using it. */
  onUnsupportedSchema?: (reason: string) => void
}

/**
 * Given to each part that is opened: metrics and traces to report to, and a stack that closes the parts, the last one
 * first.
 */
export type OpenContext = { parts: Parts; metrics: Metrics; traces: Traces; cleanup: AsyncDisposableStack }

/** Returns a throttled logger of warnings: loops fail repeatedly while a disk is full or a database is down. */
export function createWarning({ parts }: Pick<OpenContext, 'parts'>, task: string): (error: Error) => void {
  return throttleWarnings(parts.log, task)
}

/** At the end, each part that must still write to the database gets this time. */
export const closeMs = 2000
