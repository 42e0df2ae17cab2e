import { setTimeout as sleep } from 'node:timers/promises'
import type { CircuitChange, OnCircuitChange } from '#gateway/plan/circuits.ts'
import { isoTime, type Now } from '#platform/core/clock.ts'
import type { Db } from '#platform/db/db.ts'
import type { NewEvent } from '#platform/db/event.ts'
import { appendEvents } from '#platform/db/event-log.ts'

/** What is waiting beyond so many is not told: circuits that come and go faster are told by metrics. */
const waitingAtMost = 500

/** What changes within this time is written together. */
const togetherMs = 200

/** What is kept of such an event, in the words of the API. */
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

/** Puts what becomes of circuits into the event log, off the way of requests. */
export function circuitEvents({ db, now, server, onError }: CircuitEventsDeps): OnCircuitChange {
  let waiting: { name: string; change: CircuitChange; at: number }[] = []
  let isWriting = false

  async function write(): Promise<void> {
    while (waiting.length > 0) {
      await sleep(togetherMs, undefined, { ref: false })
      const taken = waiting
      waiting = []
      const owners = await organizationsOf(
        db,
        taken.flatMap(({ name }) => circuitParts(name).workspaceId ?? []),
      )
      await appendEvents(
        db.query,
        taken.map(({ name, change, at }) => eventOf(server, name, change, at, owners)),
      )
    }
  }

  return (name, change) => {
    if (waiting.length < waitingAtMost) waiting.push({ name, change, at: now() })
    if (isWriting) return
    isWriting = true
    write()
      .catch(onError)
      .finally(() => {
        isWriting = false
      })
  }
}

/** A circuit of a workspace's own credential has its id behind the endpoint's. */
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
  const shut = 'reason' in change ? change : undefined
  const told = {
    endpoint,
    workspace_id: workspaceId,
    state: change.state,
    reason: shut?.reason ?? null,
    until: shut ? isoTime(shut.until) : null,
    server,
    at: isoTime(at),
  } satisfies CircuitEventData
  // Of a workspace that is no more: for nobody.
  const organizationId = workspaceId === null ? null : (owners.get(workspaceId) ?? '')
  return { at, organizationId, kind: 'circuit', data: JSON.stringify(told) }
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
