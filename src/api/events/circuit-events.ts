import { setTimeout as sleep } from 'node:timers/promises'
import type { CircuitChange, OnCircuitChange } from '#gateway/plan/circuits.ts'
import { isoTime, type Now } from '#platform/core/clock.ts'
import type { Db } from '#platform/db/db.ts'
import type { NewEvent } from '#platform/db/event.ts'
import { appendEvents } from '#platform/db/event-log.ts'

/** Further changes are dropped. Metrics count circuits that change faster. */
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
      const owners = await organizationsOf(
        db,
        batch.flatMap(({ name }) => circuitParts(name).workspaceId ?? []),
      )
      await appendEvents(
        db.query,
        batch.map(({ name, change, at }) => eventOf(server, name, change, at, owners)),
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

/** Splits the name of a circuit. For a workspace's own credential it ends with the workspace id. */
export function circuitParts(name: string): { endpoint: string; workspaceId: string | null } {
  const [endpoint = '', workspaceId = null] = name.split(' ')
  return { endpoint, workspaceId }
}

function eventOf(
  server: string,
  name: string,
  change: CircuitChange,
  at: number,
  owners: ReadonlyMap<string, string>,
): NewEvent {
  const { endpoint, workspaceId } = circuitParts(name)
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
  // The workspace was deleted: nobody receives the event.
  const organizationId = workspaceId === null ? null : (owners.get(workspaceId) ?? '')
  return { at, organizationId, kind: 'circuit', data: JSON.stringify(data) }
}

export async function organizationsOf(
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
