import type { Expression, SqlBool } from 'kysely'
import { sql } from '../kysely.ts'

/**
 * Returns an SQL condition: every word occurs in one of the columns, ignoring case. Case folding beyond ASCII depends on the
 * locale in Postgres and is missing in SQLite, so such words are searched in lower case, upper case and title case.
 */
export function wordsOccur(words: string, columns: readonly string[]): Expression<SqlBool> {
  const conditions = words
    .split(/[\s,]+/)
    .filter(Boolean)
    .map((word) => {
      const matches = spellings(word).flatMap((spelling) => columns.map((column) => occurs(spelling, column)))
      return sql<SqlBool>`(${sql.join(matches, sql` or `)})`
    })
  return conditions.length === 0 ? sql<SqlBool>`1 = 1` : sql<SqlBool>`(${sql.join(conditions, sql` and `)})`
}

const occurs = (spelling: string, column: string) =>
  sql<SqlBool>`lower(${sql.ref(column)}) like lower(${`%${spelling.replace(/[\\%_]/g, '\\$&')}%`}) escape '\\'`

function spellings(word: string): string[] {
  const lowerCase = word.toLowerCase()
  if (/^\p{ASCII}*$/u.test(word)) return [lowerCase]
  const [first = '', ...rest] = lowerCase
  return [...new Set([word, lowerCase, word.toUpperCase(), first.toUpperCase() + rest.join('')])]
}
