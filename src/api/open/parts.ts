import type { ApiDeps } from '../deps.ts'
import type { Metrics } from '../metrics.ts'
import type { Traces } from '../traces.ts'

/** What a start is given. */
export type Parts = Pick<ApiDeps, 'config' | 'log' | 'now' | 'newId'> & {
  /** An environment variable's value: the catalogue names those that hold providers' credentials. */
  variable: (name: string) => string | undefined
}

/** What everything that is opened may tell of itself to, and what closes it again, the last one first. */
export type Opening = { parts: Parts; metrics: Metrics; traces: Traces; opened: AsyncDisposableStack }

export function warnOf({ parts }: Pick<Opening, 'parts'>, what: string): (error: Error) => void {
  return (error) => parts.log.warn({ err: error }, what)
}

/** How long the end waits for each of those who have something to tell the database. */
export const closeMs = 2000
