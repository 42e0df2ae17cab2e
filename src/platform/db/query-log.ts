import type { LogConfig } from 'kysely'
import type { DatabaseListeners } from './db.ts'

/** Reports the duration of statements, without their values. */
export function createQueryLog({ onQuery }: DatabaseListeners): LogConfig {
  if (!onQuery) return []
  return (event) => {
    const seconds = event.queryDurationMillis / 1000
    if (event.level === 'error') onQuery(seconds, 'failed', event.error, event.query.sql)
    else onQuery(seconds, 'ok', undefined, event.query.sql)
  }
}
