import pg from 'pg'
import { eventColumns, type NewEvent } from '../event.ts'
import { toStorableValue } from '../rows/insert-rows.ts'

/** Returns the statement that stores events. It is sent together with `commit`, because it blocks other transactions with events. */
export function insertEventsStatement(events: readonly NewEvent[]): string {
  const literal = (value: string | null) => (value === null ? 'null' : pg.escapeLiteral(value))
  const rows = events.map(
    ({ at, organizationId, kind, data }) =>
      `(${Math.round(at)}, ${literal(organizationId)}, ${literal(kind)}, ${literal(toStorableValue(data))})`,
  )
  return `insert into events (${Object.keys(eventColumns).join(', ')}) values ${rows.join(', ')}`
}
