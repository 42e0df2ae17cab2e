import pg from 'pg'
import { eventColumns, type NewEvent } from '../event.ts'

/** The statement that keeps events, to be sent together with `commit`: all others wait for their place in the order. */
export function appending(events: readonly NewEvent[]): string {
  const text = (value: string | null) => (value === null ? 'null' : pg.escapeLiteral(value))
  const rows = events.map(
    ({ at, organizationId, kind, data }) =>
      `(${Math.round(at)}, ${text(organizationId)}, ${text(kind)}, ${text(storable(data))})`,
  )
  return `insert into events (${Object.keys(eventColumns).join(', ')}) values ${rows.join(', ')}`
}

const storable = (data: string) => data.toWellFormed().replaceAll('\0', '\ufffd')
