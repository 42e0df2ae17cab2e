import type { Expression, SqlBool } from 'kysely'
import { sql } from '../kysely.ts'

/**
 * An SQL expression for whether each word occurs in one of the columns, ignoring case. Case folding beyond ASCII depends on
 * the locale in Postgres and is missing in SQLite, so the usual spellings of a word are searched.
 */
export function wordsOccur(words: string, columns: readonly string[]): Expression<SqlBool> {
  const conditions = words
    .split(/[\s,]+/)
    .filter(Boolean)
    .map((word) => {
      const places = spellings(word).flatMap((spelling) => columns.map((column) => occurs(spelling, column)))
      return sql<SqlBool>`(${sql.join(places, sql` or `)})`
    })
  return conditions.length === 0 ? sql<SqlBool>`1 = 1` : sql<SqlBool>`(${sql.join(conditions, sql` and `)})`
}

const occurs = (spelling: string, column: string) =>
  sql<SqlBool>`lower(${sql.ref(column)}) like lower(${`%${spelling.replace(/[\\%_]/g, '\\$&')}%`}) escape '\\'`

function spellings(word: string): string[] {
  const small = word.toLowerCase()
  if (/^\p{ASCII}*$/u.test(word)) return [small]
  const [first = '', ...rest] = small
  return [...new Set([word, small, word.toUpperCase(), first.toUpperCase() + rest.join('')])]
}
