import { join } from 'node:path'
import { type Config, Settings } from '../config/settings.ts'
import type { DatabaseListeners, Db, Query } from './db.ts'
import { migrate } from './migrate.ts'
import type { ConnectionSettings } from './postgres/session.ts'
import { openEmbedded } from './sqlite/open.ts'

const defaultSettings = (): ConnectionSettings =>
  Settings.pick({
    database_statement_timeout_ms: true,
    database_lock_timeout_ms: true,
    database_idle_transaction_timeout_ms: true,
    database_query_timeout_ms: true,
    database_keepalive_ms: true,
    database_silence_ms: true,
    database_pool_size: true,
  }).parse({})

type DbConfig = Pick<Config, 'data_dir' | 'database_url'> & Partial<ConnectionSettings>

/** Opens and migrates the configured database. */
export async function openDb(config: DbConfig, listeners: DatabaseListeners = {}): Promise<Db> {
  const kind = config.database_url ? 'postgres' : 'sqlite'
  const runMigrations = (query: Query) => migrate({ kind, query })
  if (!config.database_url) return openEmbedded(join(config.data_dir, 'signalbox.db'), runMigrations, listeners)
  // Loaded only for Postgres, because the driver slows down the start.
  const postgres = await import('./postgres/open.ts')
  return postgres.openPostgres(config.database_url, runMigrations, listeners, { ...defaultSettings(), ...config })
}
