import { isoTime } from '#platform/core/clock.ts'
import type { QueuedEvent } from '#webhooks/outbox.ts'
import { argumentsOf } from '../contract/chunks.ts'
import type { AskedQuestion, Question } from '../contract/question.ts'
import type { Intern } from '../registry/store.ts'
import { type RunRecord, runItem } from './run-record.ts'

/** The longest text of a question in an event, in characters. The answer link and the API have all of it. */
const maxTextLength = 4000

/** The members of an event that name its intern and who can see it. */
function runFields({
  id,
  name,
  workspaceId,
  creatorUserId,
  visibility,
}: Intern): Pick<QueuedEvent, 'workspaceId' | 'visibleTo' | 'data'> {
  return {
    workspaceId,
    visibleTo: visibility === 'creator' ? creatorUserId : undefined,
    data: { intern_id: id, intern_name: name, workspace_id: workspaceId },
  }
}

/** The event of a question that waits for an answer. */
export function questionAskedEvent(
  intern: Intern,
  { question, sessionId, askedAt, deadlineAt }: AskedQuestion,
): QueuedEvent {
  const { data, ...audience } = runFields(intern)
  const times = { asked_at: isoTime(askedAt), deadline_at: isoTime(deadlineAt) }
  return {
    ...audience,
    event: 'intern.question_asked',
    subject: `question ${intern.id} ${question.id}`,
    at: askedAt,
    data: { ...data, session_id: sessionId, question_id: question.id, kind: question.kind, ...times },
    question: textOf(question),
    answerable: { internId: intern.id, sessionId, questionId: question.id, until: deadlineAt },
  }
}

function textOf(question: Question) {
  const described = argumentsOf(question)
  if (described.kind === 'elicitation') return { ...described, message: shorten(described.message) }
  return { ...described, ...(described.detail !== undefined && { detail: shorten(described.detail) }) }
}

const shorten = (text: string) => (text.length > maxTextLength ? `${text.slice(0, maxTextLength)}…` : text)

/** The event of a turn that has ended. */
export function runEndedEvent(intern: Intern, run: RunRecord): QueuedEvent {
  const { data, ...audience } = runFields(intern)
  const { id: run_id, intern_id: _, status: __, question_id: ___, ...rest } = runItem(run)
  return {
    ...audience,
    event: 'intern.run_ended',
    subject: `run ${intern.id} ${run.id}`,
    at: run.endedAt ?? run.startedAt,
    data: { ...data, run_id, ...rest },
  }
}

/** The event of an intern that has failed. The supervisor restarts it if that can help. */
export function internFailedEvent(intern: Intern, at: number): QueuedEvent {
  const { data, ...audience } = runFields(intern)
  return {
    ...audience,
    event: 'intern.failed',
    subject: `failure ${intern.id} ${at}`,
    at,
    data: { ...data, reason: intern.lastFailureMessage, at: isoTime(at) },
  }
}
