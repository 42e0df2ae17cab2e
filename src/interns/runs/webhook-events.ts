import { isoTime } from '#platform/core/clock.ts'
import type { QueuedEvent } from '#webhooks/outbox.ts'
import { toQuestionArguments } from '../contract/chunks.ts'
import type { AskedQuestion, Question } from '../contract/question.ts'
import type { Intern } from '../registry/intern-store.ts'
import { type RunRecord, toRunItem } from './run-record.ts'

/** The longest text of a question in an event, in characters. The answer link and the API show the whole text. */
const maxTextLength = 4000

/** The fields of an event that name its intern and the users who can see it. */
function internFields({
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
  const { data, ...audience } = internFields(intern)
  const times = { asked_at: isoTime(askedAt), deadline_at: isoTime(deadlineAt) }
  return {
    ...audience,
    event: 'intern.question_asked',
    deduplicationKey: `question ${intern.id} ${question.id}`,
    at: askedAt,
    data: { ...data, session_id: sessionId, question_id: question.id, kind: question.kind, ...times },
    question: shortenQuestion(question),
    answerable: { internId: intern.id, sessionId, questionId: question.id, until: deadlineAt },
  }
}

function shortenQuestion(question: Question) {
  const fields = toQuestionArguments(question)
  if (fields.kind === 'elicitation') return { ...fields, message: shorten(fields.message) }
  return fields.detail === undefined ? fields : { ...fields, detail: shorten(fields.detail) }
}

const shorten = (text: string) => (text.length > maxTextLength ? `${text.slice(0, maxTextLength)}…` : text)

/** The event of a run that has ended. */
export function runEndedEvent(intern: Intern, run: RunRecord): QueuedEvent {
  const { data, ...audience } = internFields(intern)
  // The intern is in `data`, and the status of an ended run is always `ended`.
  const { id: run_id, intern_id: _internId, status: _status, question_id: _questionId, ...runFields } = toRunItem(run)
  return {
    ...audience,
    event: 'intern.run_ended',
    deduplicationKey: `run ${intern.id} ${run.id}`,
    at: run.endedAt ?? run.startedAt,
    data: { ...data, run_id, ...runFields },
  }
}

/** The event of an intern that has failed. The supervisor restarts it if that can help. */
export function internFailedEvent(intern: Intern, at: number): QueuedEvent {
  const { data, ...audience } = internFields(intern)
  return {
    ...audience,
    event: 'intern.failed',
    deduplicationKey: `failure ${intern.id} ${at}`,
    at,
    data: { ...data, reason: intern.lastFailureMessage, at: isoTime(at) },
  }
}
