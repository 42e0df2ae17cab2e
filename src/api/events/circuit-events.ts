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

type PendingChange = { name: string; change: CircuitChange; at: number }

/** Writes changes of circuits to the event log, asynchronously to requests. */
export class CircuitEventWriter {
  readonly #deps: CircuitEventsDeps
  #pending: PendingChange[] = []
  #isWriting = false

  constructor(deps: CircuitEventsDeps) {
    this.#deps = deps
  }

  readonly add: OnCircuitChange = (name, change) => {
    if (this.#pending.length < maxPending) this.#pending.push({ name, change, at: this.#deps.now() })
    if (!this.#isWriting) void this.#writePending()
  }

  async #writePending(): Promise<void> {
    this.#isWriting = true
    while (this.#pending.length > 0) {
      await sleep(batchMs, undefined, { ref: false })
      // A batch that cannot be written is lost. The following ones are written.
      await this.#write(this.#pending.splice(0)).catch(this.#deps.onError)
    }
    this.#isWriting = false
  }

  async #write(batch: PendingChange[]): Promise<void> {
    const { db, server } = this.#deps
    const workspaceIds = batch.flatMap(({ name }) => parseCircuitName(name).workspaceId ?? [])
    const organizationIds = await findOrganizationIds(db, workspaceIds)
    await appendEvents(
      db.query,
      batch.map((pending) => toNewEvent(server, pending, organizationIds)),
    )
  }
}

/** Splits the name of a circuit: `<endpoint>`, or `<endpoint> <workspace id>` for a workspace's own credential. */
export function parseCircuitName(name: string): { endpoint: string; workspaceId: string | null } {
  const [endpoint = '', workspaceId = null] = name.split(' ')
  return { endpoint, workspaceId }
}

function toNewEvent(
  server: string,
  { name, change, at }: PendingChange,
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
