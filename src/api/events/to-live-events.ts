import { type Caller, reachesWorkspace } from '#identity/accounts/caller.ts'
import type { InternEventData } from '#interns/registry/intern-events.ts'
import type { Db } from '#platform/db/db.ts'
import type { StoredEvent } from '#platform/db/event-log.ts'
import { canReadTexts, visibleRows } from '#spend/ledger/list/visibility.ts'
import { readGenerations } from '#spend/ledger/read-generations.ts'
import type { GenerationRecord } from '#spend/ledger/record.ts'
import { requireInterns } from '../access/require-interns.ts'
import { toGenerationResponse } from '../generations/generation-response.ts'
import type { LiveEvent } from './live-event.ts'

type LiveEventDeps = { db: Pick<Db, 'reportQuery'> }

/** Converts a row of the event log. A row of requests has only their ids, so their records are read from the ledger. */
export async function toLiveEvents(deps: LiveEventDeps, event: StoredEvent): Promise<LiveEvent[]> {
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
      // An event of a newer version, which runs beside this one during an update.
      event.kind satisfies never
      return []
  }
}

async function generationEvents(deps: LiveEventDeps, { seq, data }: StoredEvent): Promise<LiveEvent[]> {
  const ids = JSON.parse(data) as string[]
  const generations = new Map((await readGenerations(deps, ids)).map((item) => [item.record.id, item]))
  return ids.flatMap((id, index) => {
    const generation = generations.get(id)
    if (!generation) return []
    const { record, organizationId } = generation
    const { workspace_id, key_hash, user_id } = record
    const owners = { organization_id: organizationId, workspace_id, key_hash, user_id }
    const textFor = textForReader(record)
    const dataFor = (caller: Caller) => {
      const visible = visibleRows(caller)
      const isVisible = owners[visible.column] === visible.value && organizationId === visible.organizationId
      return isVisible ? textFor(caller) : undefined
    }
    return [{ seq, index, type: 'generation', dataFor }]
  })
}

/**
 * Serializes a record once for callers who can read its texts, and once for all others.
 * @returns a function that gives the JSON for a caller.
 */
function textForReader(record: GenerationRecord): (caller: Caller) => string {
  const texts = new Map<boolean, string>()
  return (caller) => {
    const isComplete = canReadTexts(caller, record)
    const text = texts.get(isComplete) ?? JSON.stringify(toGenerationResponse(record, caller))
    texts.set(isComplete, text)
    return text
  }
}

/** The state of an intern, for callers who can see it and for managers of the organization. */
function internEvent({ seq, data, organizationId }: StoredEvent): LiveEvent {
  const { told: publicEvent, ...visibility } = JSON.parse(data) as InternEventData
  const text = JSON.stringify(publicEvent)
  const dataFor = (caller: Caller) => {
    if (canManageWorkspaceOf(caller, organizationId, visibility.workspaceId)) return text
    return canSeeIntern(caller, organizationId, visibility) ? text : undefined
  }
  return { seq, index: 0, type: 'intern', dataFor }
}

/** The question of an intern, for callers who can answer it. Managers of the organization get it without its text. */
function questionEvent({ seq, data, organizationId }: StoredEvent): LiveEvent {
  const { told: publicEvent, ...visibility } = JSON.parse(data) as InternEventData
  const text = JSON.stringify(publicEvent)
  const outline = JSON.stringify(withoutText(publicEvent))
  const dataFor = (caller: Caller) => {
    if (canSeeIntern(caller, organizationId, visibility)) return text
    return canManageWorkspaceOf(caller, organizationId, visibility.workspaceId) ? outline : undefined
  }
  return { seq, index: 0, type: 'question', dataFor }
}

/** The fields of a question that contain its text. */
const textFields = new Set(['operation', 'detail', 'message', 'fields'])

const withoutText = (question: object) =>
  Object.fromEntries(Object.entries(question).filter(([name]) => !textFields.has(name)))

/**
 * The state of a circuit, for management keys. Circuits of a workspace's own credential are only for
 * callers who manage that workspace.
 */
function circuitEvent({ seq, data, organizationId }: StoredEvent): LiveEvent {
  const { workspace_id: workspaceId } = JSON.parse(data) as { workspace_id: string | null }
  const dataFor = (caller: Caller) => {
    if (caller.keyKind !== 'management') return undefined
    // Null: the circuit of a credential of this service, which all organizations share.
    if (organizationId === null || workspaceId === null) return data
    return canManageWorkspaceOf(caller, organizationId, workspaceId) ? data : undefined
  }
  return { seq, index: 0, type: 'circuit', dataFor }
}

const canManageWorkspaceOf = (caller: Caller, organizationId: string | null, workspaceId: string) =>
  caller.keyKind === 'management' && caller.organizationId === organizationId && reachesWorkspace(caller, workspaceId)

type InternVisibility = Omit<InternEventData, 'told'>

function canSeeIntern(caller: Caller, organizationId: string | null, intern: InternVisibility): boolean {
  const { workspaceId, creatorUserId, visibility } = intern
  if (caller.organizationId !== organizationId || caller.workspaceId !== workspaceId) return false
  return (creatorUserId === caller.userId || visibility === 'workspace') && canUseInterns(caller)
}

function canUseInterns(caller: Caller): boolean {
  try {
    requireInterns(caller)
    return true
  } catch {
    return false
  }
}
