import { startReconciler } from '../async/reconcile.ts'
import { waitUntil } from '../async/wait-for.ts'
import { UserFacingError } from '../core/fault.ts'
import type { Db } from './db.ts'
import { sql } from './kysely.ts'
import { applicationNames, olderApplicationNames } from './postgres/application-names.ts'

type Queries = Pick<Db, 'kind' | 'query'>

/**
 * Migrations after which servers of older versions must not write, because they would omit data that newer servers read. All
 * other migrations only add. To avoid a breaking migration, add first, and read the added data one version later.
 */
const breakingMigrations: ReadonlySet<string> = new Set([
  // Holders of leases report their spending.
  '0008_accounted_leases',
  // Reports read the sums of workspaces, which older servers do not write.
  '0014_workspace_days',
])

/** The schema of a database. */
export type StoredSchema = {
  applied: string[]
  /** The schema versions whose servers can use it; undefined in a database that is older than this range. */
  range: { oldest: number; newest: number } | undefined
}

const migrationNumber = (migration: string) => Number(migration.slice(0, 4))

/** The schema version of code with these migrations. */
const schemaVersion = (migrations: readonly string[]) => Math.max(0, ...migrations.map(migrationNumber))

/** Whether a table exists. Kysely would read all columns of all tables. */
async function hasTable({ kind, query }: Queries, name: string): Promise<boolean> {
  const { rows } =
    kind === 'sqlite'
      ? await sql`select 1 from sqlite_master where name = ${name}`.execute(query)
      : await sql`select 1 where to_regclass(${name}) is not null`.execute(query)
  return rows.length > 0
}

export async function readSchema(db: Queries): Promise<StoredSchema> {
  if (!(await hasTable(db, 'kysely_migration'))) return { applied: [], range: undefined }
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db.query)
  const applied = rows.map(({ name }) => name)
  const hasRange = applied.some((name) => name.endsWith('_schema_range'))
  const range = hasRange
    ? await db.query.selectFrom('schema_range').select(['oldest', 'newest']).executeTakeFirst()
    : undefined
  return { applied, range }
}

/** Returns why code with these migrations cannot use the database; undefined if it can. */
export function findSchemaProblem({ applied, range }: StoredSchema, supported: readonly string[]): string | undefined {
  const ownVersion = schemaVersion(supported)
  if (range && range.oldest > ownVersion) {
    return `The database was changed by a newer version of Signalbox: it needs schema version ${range.oldest} or later, and this version has ${ownVersion}. Start the newer version, or restore an older backup.`
  }
  const unknownMigrations = applied.filter((name) => !supported.includes(name))
  const incompatible = unknownMigrations.find((name) => migrationNumber(name) > (range?.newest ?? 0))
  if (incompatible === undefined) return undefined
  return `The database was written by a newer version of Signalbox (it has the migration ${incompatible}). Start that version, or restore an older backup.`
}

export type AnnounceOptions = { breaking?: ReadonlySet<string>; waitMs?: number }

/**
 * Announces migrations before they run: servers of older versions continue if the migrations only add, and otherwise stop.
 * @param options.waitMs the time limit for older servers to stop.
 * @returns a function that restores the range, for a migration that failed.
 * @throws UserFacingError if older servers are running that cannot stop automatically, or do not stop in time.
 */
export async function announceMigrations(
  db: Queries,
  { applied, range }: StoredSchema,
  pending: readonly string[],
  { breaking = breakingMigrations, waitMs = 600_000 }: AnnounceOptions = {},
): Promise<() => Promise<void>> {
  const pendingBreaking = pending.filter((name) => breaking.has(name))
  const restore = async () => {
    if (range) await writeRange(db, range)
  }
  if (range) {
    const oldest = Math.max(range.oldest, schemaVersion(pendingBreaking))
    await writeRange(db, { oldest, newest: Math.max(range.newest, schemaVersion(pending)) })
  }
  if (applied.length === 0 || pendingBreaking.length === 0 || db.kind === 'sqlite') return restore
  // Servers that are older than the range do not read it, so they do not stop by themselves.
  if (await waitForServersToStop(db, range ? waitMs : 0)) return restore
  // Connections of a server of this version that has just migrated have the same names.
  const currentSchema = await readSchema(db)
  if (pendingBreaking.every((name) => currentSchema.applied.includes(name))) return restore
  await restore()
  throw new UserFacingError(
    `Servers of an older version use this database, and the migration ${pendingBreaking[0]} breaks them. Stop them, then start this one.`,
  )
}

/** Stores the range, if a migration has just created its table. */
export async function storeFirstRange(
  db: Queries,
  supported: readonly string[],
  { breaking = breakingMigrations }: AnnounceOptions = {},
): Promise<void> {
  const { range } = await readSchema(db)
  if (!range) return
  const oldest = Math.max(range.oldest, schemaVersion(supported.filter((name) => breaking.has(name))))
  await writeRange(db, { oldest, newest: Math.max(range.newest, schemaVersion(supported)) })
}

const writeRange = ({ query }: Queries, range: { oldest: number; newest: number }) =>
  query.updateTable('schema_range').set(range).execute()

/** The connection names of servers of all versions. */
const serverNames = [applicationNames.statements, applicationNames.signals, ...olderApplicationNames]

/** @returns false if a server is still connected after `waitMs`. */
async function waitForServersToStop({ query }: Queries, waitMs: number): Promise<boolean> {
  const haveStopped = async () => {
    const { rows } = await sql`
      select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
         and application_name in (${sql.join(serverNames)})`.execute(query)
    return rows.length === 0
  }
  return waitUntil(haveStopped, { timeoutMs: waitMs, recheckMs: 500 })
}

const watchEveryMs = 2000

/**
 * Watches for a newer version that makes the schema unusable for this one.
 * @param onProblem is called once, with the reason.
 * @returns the function that stops the watch.
 */
export function watchSchema(
  db: Queries,
  supported: readonly string[],
  onProblem: (reason: string) => void,
): () => void {
  const check = async () => {
    const problem = findSchemaProblem(await readSchema(db), supported)
    if (problem === undefined) return watchEveryMs
    onProblem(problem)
    return undefined
  }
  // Errors are ignored, because the connections report an unreachable database (`DatabaseListeners` in `db.ts`).
  const { stop } = startReconciler(check, { firstMs: watchEveryMs, retryMs: watchEveryMs, onError: () => {} })
  return () => void stop()
}
