import { isoTime } from '#platform/core/clock.ts'
import type { NewEvent } from '#platform/db/event.ts'
import { toQuestionArguments } from '../contract/chunks.ts'
import type { AskedQuestion } from '../contract/question.ts'
import type { InternStatus, Visibility } from './intern.ts'
import type { Intern } from './intern-store.ts'

/** The fields that decide who sees events of an intern. */
type InternVisibility = { workspaceId: string; creatorUserId: string; visibility: Visibility }

/** The stored data of an event of an intern. `told` is the event in the form of the API; the name is part of the stored JSON. */
export type InternEventData = InternVisibility & { told: Record<string, unknown> }

type EventSource = Pick<Intern, 'id' | 'name' | 'organizationId' | 'workspaceId' | 'creatorUserId' | 'visibility'>

function createEvent(
  kind: 'intern' | 'question',
  intern: EventSource,
  at: number,
  event: Record<string, unknown>,
): NewEvent {
  const { organizationId, workspaceId, creatorUserId, visibility } = intern
  const data = { workspaceId, creatorUserId, visibility, told: event } satisfies InternEventData
  return { at, organizationId, kind, data: JSON.stringify(data) }
}

type ChangedIntern = EventSource & { status: InternStatus; lastFailureMessage: string | null }

/** The event of an intern that was changed, or has another status. */
export function internChangedEvent(
  intern: ChangedIntern,
  at: number,
  status: InternStatus | 'deleted' = intern.status,
): NewEvent {
  return createEvent('intern', intern, at, {
    id: intern.id,
    name: intern.name,
    workspace_id: intern.workspaceId,
    creator_user_id: intern.creatorUserId,
    visibility: intern.visibility,
    status,
    last_failure_message: intern.lastFailureMessage,
    at: isoTime(at),
  })
}

/** `ended`: the question can no longer be answered. */
export type QuestionEnd = { state: 'answered'; answered_by: string } | { state: 'ended' }

/** The event of a question that waits for an answer. */
export function questionOpenedEvent(intern: EventSource, pending: AskedQuestion, at: number): NewEvent {
  const { question, sessionId, askedAt, deadlineAt } = pending
  const times = { asked_at: isoTime(askedAt), deadline_at: isoTime(deadlineAt) }
  const fields = { ...questionFields(intern, question.id, sessionId), state: 'waiting', at: isoTime(at), ...times }
  return createEvent('question', intern, at, { ...fields, ...toQuestionArguments(question) })
}

/** The event of a question that no longer waits. */
export function questionEndedEvent(
  intern: EventSource,
  { id, sessionId }: { id: string; sessionId: string },
  at: number,
  end: QuestionEnd,
): NewEvent {
  return createEvent('question', intern, at, { ...questionFields(intern, id, sessionId), ...end, at: isoTime(at) })
}

function questionFields(intern: EventSource, id: string, sessionId: string) {
  return { id, intern_id: intern.id, intern_name: intern.name, workspace_id: intern.workspaceId, session_id: sessionId }
}
