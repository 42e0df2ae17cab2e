import type { Generated } from 'kysely'

/** Notifications between servers, and the schema version. */
export type PlatformTables = {
  /** The number of notifications of each topic. Only used on Postgres, which several servers share. */
  signal_revisions: { topic: string; revision: number }
  /** Events of the last minutes, for clients that listen. */
  events: {
    seq: Generated<number>
    at: number
    /** Null for events of the operator. */
    organization_id: string | null
    kind: string
    /** JSON: the content of the event. */
    data: string
  }
  /** The schema versions whose servers can use this database. One row. */
  schema_range: { id: number; oldest: number; newest: number }
}
