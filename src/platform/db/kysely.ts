import { createRequire } from 'node:module'

/**
 * The runtime part of Kysely, from its CommonJS form. Loaded as modules, its 262 files would double the time of every
 * start. Types come from `kysely` itself.
 */
const kysely = createRequire(import.meta.url)('kysely') as typeof import('kysely')

export const {
  CompiledQuery,
  Kysely,
  Migrator,
  PostgresDialect,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
} = kysely
