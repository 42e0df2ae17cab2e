import type { LogConfig } from 'kysely'
import type { Watch } from './db.ts'

/** Tells the watcher how long statements take; what they say and hold stays here. */
export function queryLog({ onQuery }: Watch): LogConfig {
  if (!onQuery) return []
  return ({ level, queryDurationMillis }) => onQuery(queryDurationMillis / 1000, level === 'error' ? 'failed' : 'ok')
}
