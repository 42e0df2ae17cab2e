import { isoTime } from '#platform/core/clock.ts'
import type { NewEvent } from '#platform/db/event.ts'
import { argumentsOf } from '../contract/chunks.ts'
import type { AskedQuestion } from '../contract/question.ts'
import type { InternStatus, Visibility } from './intern.ts'
import type { Intern } from './store.ts'

/** Who sees the intern that an event is of. */
export type InternSight = { workspaceId: string; creatorUserId: string; visibility: Visibility }

/** What is kept of an event of an intern, and who may hear it. `told` is in the words of the API. */
export type InternEventData = InternSight & { told: Record<string, unknown> }

type Known = Pick<Intern, 'id' | 'name' | 'organizationId' | 'workspaceId' | 'creatorUserId' | 'visibility'>

function eventOf(kind: 'intern' | 'question', intern: Known, at: number, told: Record<string, unknown>): NewEvent {
  const { organizationId, workspaceId, creatorUserId, visibility } = intern
  const data = { workspaceId, creatorUserId, visibility, told } satisfies InternEventData
  return { at, organizationId, kind, data: JSON.stringify(data) }
}

type Changed = Known & { status: InternStatus; lastFailureMessage: string | null }

/** An intern is in another state, or was changed. `deleted`: it is no more. */
export function internChanged(intern: Changed, at: number, status: InternStatus | 'deleted' = intern.status): NewEvent {
  return eventOf('intern', intern, at, {
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

/** `answered`: by whom. `ended`: no answer will be taken any more. */
export type QuestionEnd = { state: 'answered'; answered_by: string } | { state: 'ended' }

/** A question waits for its answer. */
export function questionAsked(intern: Known, asked: AskedQuestion, at: number): NewEvent {
  const { question, sessionId, askedAt, deadlineAt } = asked
  const times = { asked_at: isoTime(askedAt), deadline_at: isoTime(deadlineAt) }
  const about = { ...aboutQuestion(intern, question.id, sessionId), state: 'waiting', at: isoTime(at), ...times }
  return eventOf('question', intern, at, { ...about, ...argumentsOf(question) })
}

/** A question waits no longer. */
export function questionOver(
  intern: Known,
  { id, sessionId }: { id: string; sessionId: string },
  at: number,
  end: QuestionEnd,
): NewEvent {
  return eventOf('question', intern, at, { ...aboutQuestion(intern, id, sessionId), ...end, at: isoTime(at) })
}

function aboutQuestion(intern: Known, id: string, sessionId: string) {
  return { id, intern_id: intern.id, intern_name: intern.name, workspace_id: intern.workspaceId, session_id: sessionId }
}
