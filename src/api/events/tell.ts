import type { Caller } from '#identity/accounts/caller.ts'
import type { InternEventData } from '#interns/registry/events.ts'
import type { Db } from '#platform/db/db.ts'
import type { KeptEvent } from '#platform/db/event-log.ts'
import { generationsByIds } from '#spend/ledger/read.ts'
import { visibilityOf } from '#spend/ledger/visibility.ts'
import { requireInterns } from '../access/require-interns.ts'
import { generationAnswer } from '../routes/generations/generation.ts'
import type { LiveEvent } from './live-event.ts'

type TellDeps = { db: Pick<Db, 'reports'> }

/** What one row of the event log says. Of requests it has the ids: what they were is read from the ledger. */
export async function eventsOf(deps: TellDeps, event: KeptEvent): Promise<LiveEvent[]> {
  switch (event.kind) {
    case 'generations':
      return generationEvents(deps, event)
    case 'intern':
      return [internEvent(event)]
    case 'question':
      return [questionEvent(event)]
    case 'circuit':
      return [circuitEvent(event)]
    default:
      // Of a newer version, which runs beside this one during an update.
      event.kind satisfies never
      return []
  }
}

async function generationEvents(deps: TellDeps, { seq, data }: KeptEvent): Promise<LiveEvent[]> {
  const ids = JSON.parse(data) as string[]
  const found = new Map((await generationsByIds(deps, ids)).map((one) => [one.record.id, one]))
  return ids.flatMap((id, n) => {
    const one = found.get(id)
    if (!one) return []
    const { record, organizationId } = one
    const { workspace_id, key_hash, user_id } = record
    const owners = { organization_id: organizationId, workspace_id, key_hash, user_id }
    const text = JSON.stringify(generationAnswer(record))
    const dataFor = (caller: Caller) => {
      const [owner, ownerId] = visibilityOf(caller)
      return owners[owner] === ownerId ? text : undefined
    }
    return [{ seq, n, type: 'generation', dataFor }]
  })
}

/** The states of interns are told to who sees them, and to who manages the organization. */
function internEvent({ seq, data, organizationId }: KeptEvent): LiveEvent {
  const { told, ...sight } = JSON.parse(data) as InternEventData
  const text = JSON.stringify(told)
  const dataFor = (caller: Caller) =>
    isManagerOf(caller, organizationId) || seesIntern(caller, organizationId, sight) ? text : undefined
  return { seq, n: 0, type: 'intern', dataFor }
}

/** What an intern asks is for those who may answer it; who manages the organization hears that somebody is waited for. */
function questionEvent({ seq, data, organizationId }: KeptEvent): LiveEvent {
  const { told, ...sight } = JSON.parse(data) as InternEventData
  const text = JSON.stringify(told)
  const outline = JSON.stringify(withoutWords(told))
  const dataFor = (caller: Caller) => {
    if (seesIntern(caller, organizationId, sight)) return text
    return isManagerOf(caller, organizationId) ? outline : undefined
  }
  return { seq, n: 0, type: 'question', dataFor }
}

function withoutWords({ operation: _, detail: __, message: ___, fields: ____, ...told }: Record<string, unknown>) {
  return told
}

/** As metrics: for who manages. A workspace's own credential has circuits of its own, which only its organization sees. */
function circuitEvent({ seq, data, organizationId }: KeptEvent): LiveEvent {
  const dataFor = ({ keyKind, organizationId: own }: Caller) =>
    keyKind === 'management' && (organizationId === null || organizationId === own) ? data : undefined
  return { seq, n: 0, type: 'circuit', dataFor }
}

const isManagerOf = (caller: Caller, organizationId: string | null) =>
  caller.keyKind === 'management' && caller.organizationId === organizationId

type Sight = Omit<InternEventData, 'told'>

function seesIntern(caller: Caller, organizationId: string | null, sight: Sight): boolean {
  const { workspaceId, creatorUserId, visibility } = sight
  if (caller.organizationId !== organizationId || caller.workspaceId !== workspaceId) return false
  return (creatorUserId === caller.userId || visibility === 'workspace') && mayUseInterns(caller)
}

function mayUseInterns(caller: Caller): boolean {
  try {
    requireInterns(caller)
    return true
  } catch {
    return false
  }
}
