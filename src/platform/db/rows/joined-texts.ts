import type { RawBuilder } from 'kysely'
import type { Db } from '../db.ts'
import { sql } from '../kysely.ts'

/** The texts of a group's rows as one, with spaces between; null where all of them are. */
export function joinedTexts({ kind }: Pick<Db, 'kind'>, text: RawBuilder<unknown>): RawBuilder<string | null> {
  return kind === 'sqlite' ? sql`group_concat(${text}, ' ')` : sql`string_agg(${text}, ' ')`
}
