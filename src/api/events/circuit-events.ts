import { setTimeout as sleep } from 'node:timers/promises'
import type { CircuitChange, OnCircuitChange } from '#gateway/plan/circuits.ts'
import { isoTime, type Now } from '#platform/core/clock.ts'
import type { Db } from '#platform/db/db.ts'
import type { NewEvent } from '#platform/db/event.ts'
import { appendEvents } from '#platform/db/event-log.ts'

/** Changes that wait to be written. Further changes are dropped; metrics count them all the same. */
const maxPending = 500

/** Changes within this time are written together. */
const batchMs = 200

/** The stored data of an event, with the names of the API. */
export type CircuitEventData = {
  endpoint: string
  workspace_id: string | null
  state: CircuitChange['state']
  reason: string | null
  until: string | null
  server: string
  at: string
}

type CircuitEventsDeps = { db: Db; now: Now; server: string; onError: (error: Error) => void }

/** Writes changes of circuits to the event log, asynchronously to requests. */
export function circuitEvents({ db, now, server, onError }: CircuitEventsDeps): OnCircuitChange {
  let pending: { name: string; change: CircuitChange; at: number }[] = []
  let isWriting = false

  async function write(): Promise<void> {
    while (pending.length > 0) {
      await sleep(batchMs, undefined, { ref: false })
      const batch = pending
      pending = []
      const organizationIds = await findOrganizationIds(
        db,
        batch.flatMap(({ name }) => parseCircuitName(name).workspaceId ?? []),
      )
      await appendEvents(
        db.query,
        batch.map(({ name, change, at }) => toNewEvent(server, name, change, at, organizationIds)),
      )
    }
  }

  return (name, change) => {
    if (pending.length < maxPending) pending.push({ name, change, at: now() })
    if (isWriting) return
    isWriting = true
    write()
      .catch(onError)
      .finally(() => {
        isWriting = false
      })
  }
}

/** Splits the name of a circuit: `<endpoint>`, or `<endpoint> <workspace id>` for a workspace's own credential. */
export function parseCircuitName(name: string): { endpoint: string; workspaceId: string | null } {
  const [endpoint = '', workspaceId = null] = name.split(' ')
  return { endpoint, workspaceId }
}

function toNewEvent(
  server: string,
  name: string,
  change: CircuitChange,
  at: number,
  organizationIds: ReadonlyMap<string, string>,
): NewEvent {
  const { endpoint, workspaceId } = parseCircuitName(name)
  const restriction = 'reason' in change ? change : undefined
  const data = {
    endpoint,
    workspace_id: workspaceId,
    state: change.state,
    reason: restriction?.reason ?? null,
    until: restriction ? isoTime(restriction.until) : null,
    server,
    at: isoTime(at),
  } satisfies CircuitEventData
  // Null is for all organizations. No organization has an empty id: nobody receives the event of a deleted workspace.
  const organizationId = workspaceId === null ? null : (organizationIds.get(workspaceId) ?? '')
  return { at, organizationId, kind: 'circuit', data: JSON.stringify(data) }
}

/** Returns the organization of each workspace, by workspace id. Deleted workspaces are missing. */
export async function findOrganizationIds(
  { query }: Pick<Db, 'query'>,
  workspaceIds: string[],
): Promise<Map<string, string>> {
  if (workspaceIds.length === 0) return new Map()
  const rows = await query
    .selectFrom('workspaces')
    .where('id', 'in', workspaceIds)
    .select(['id', 'organization_id'])
    .execute()
  return new Map(rows.map(({ id, organization_id }) => [id, organization_id]))
}
