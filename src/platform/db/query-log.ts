import type { LogConfig } from 'kysely'
import type { Watch } from './db.ts'

/** Tells the watcher how long statements take; what they hold stays here. */
export function queryLog({ onQuery }: Watch): LogConfig {
  if (!onQuery) return []
  return (event) => {
    const seconds = event.queryDurationMillis / 1000
    if (event.level === 'error') onQuery(seconds, 'failed', event.error, event.query.sql)
    else onQuery(seconds, 'ok', undefined, event.query.sql)
  }
}
