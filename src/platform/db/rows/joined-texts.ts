import type { RawBuilder } from 'kysely'
import type { Db } from '../db.ts'
import { sql } from '../kysely.ts'

/** An SQL expression that joins the texts of a group with spaces; null if all are null. */
export function joinedTexts({ kind }: Pick<Db, 'kind'>, text: RawBuilder<unknown>): RawBuilder<string | null> {
  return kind === 'sqlite' ? sql`group_concat(${text}, ' ')` : sql`string_agg(${text}, ' ')`
}
