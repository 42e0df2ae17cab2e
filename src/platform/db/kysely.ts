import { createRequire } from 'node:module'

/**
 * The runtime part of Kysely, loaded from its CommonJS build. As ES modules, its 262 files would double the start time. Types
 * come from `kysely` itself.
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
