import { UserFacingError } from '../../core/fault.ts'
import type { Db } from '../db.ts'
import { sql } from '../kysely.ts'

/** The privileges that the service needs on each of its tables. */
const requiredPrivileges = ['select', 'insert', 'update', 'delete'] as const

/**
 * Checks the privileges of the user at the start. A read-only user would otherwise fail at the first write of a request.
 * @throws UserFacingError naming the missing privileges and their tables.
 */
export async function requirePrivileges({ query }: Pick<Db, 'query'>, tables: readonly string[]): Promise<void> {
  const { rows } = await sql<{ name: string; missing: string }>`
    select c.relname as name, required.privilege as missing
      from pg_class c cross join unnest(${[...requiredPrivileges]}::text[]) as required (privilege)
     where c.relnamespace = current_schema()::regnamespace and c.relname = any(${[...tables]}::text[])
       and c.relkind in ('r', 'p') and not has_table_privilege(c.oid, required.privilege)
    union all
    select c.relname, 'usage' from pg_class c
     where c.relnamespace = current_schema()::regnamespace and c.relkind = 'S'
       and c.relname = any(${sequencesOf(tables)}::text[]) and not has_sequence_privilege(c.oid, 'usage')`.execute(
    query,
  )
  const [first] = rows
  if (!first) return
  const missing = rows.filter(({ name }) => name === first.name).map((row) => row.missing)
  const others = new Set(rows.map(({ name }) => name)).size - 1
  const tableNames = others > 0 ? `${first.name} and ${others} others` : first.name
  throw new UserFacingError(
    `The database user lacks privileges: ${missing.join(', ')} on ${tableNames}. Make it the owner of the database and its objects.`,
  )
}

/** Encodings that store all texts. `SQL_ASCII` stores the bytes that it gets. */
const unlimitedEncodings = ['UTF8', 'SQL_ASCII']

/** @throws UserFacingError if the encoding of the database lacks characters. Writes would otherwise fail by their content. */
export async function requireEncoding({ query }: Pick<Db, 'query'>): Promise<void> {
  const { rows } = await sql<{ name: string; encoding: string }>`
    select current_database() as name, current_setting('server_encoding') as encoding`.execute(query)
  const [{ name, encoding } = { name: '', encoding: 'UTF8' }] = rows
  if (unlimitedEncodings.includes(encoding)) return
  throw new UserFacingError(
    `The database "${name}" has the encoding ${encoding}, which lacks characters. Create it again with UTF8, for example with createdb --template template0 --encoding UTF8.`,
  )
}

/** The sequences of tables, by the names that migrations and Postgres give them. */
const sequencesOf = (tables: readonly string[]) => tables.flatMap((table) => [`${table}_seq`, `${table}_seq_seq`])
