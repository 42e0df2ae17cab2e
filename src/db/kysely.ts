import { createRequire } from 'node:module'

/**
 * What of Kysely runs, from its CommonJS form: as modules, its 262 files cost every start twice as long. Types come from
 * `kysely` itself.
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
