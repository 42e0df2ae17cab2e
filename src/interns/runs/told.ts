import { isoTime } from '#platform/core/clock.ts'
import type { Told } from '#webhooks/outbox.ts'
import { argumentsOf } from '../contract/chunks.ts'
import type { AskedQuestion, Question } from '../contract/question.ts'
import type { Intern } from '../registry/store.ts'
import { type RunRecord, runItem } from './run-record.ts'

/** What webhooks are told of interns. */

/** Of what is asked, in characters; all of it is behind the link and in the API. */
const longestText = 4000

function about({ id, name, workspaceId, creatorUserId, visibility }: Intern) {
  return {
    workspaceId,
    ...(visibility === 'creator' && { onlyFor: creatorUserId }),
    data: { intern_id: id, intern_name: name, workspace_id: workspaceId },
  }
}

/** A question waits. */
export function toldQuestion(intern: Intern, { question, sessionId, askedAt, deadlineAt }: AskedQuestion): Told {
  const { data, ...sight } = about(intern)
  const times = { asked_at: isoTime(askedAt), deadline_at: isoTime(deadlineAt) }
  return {
    ...sight,
    event: 'intern.question_asked',
    subject: `question ${intern.id} ${question.id}`,
    at: askedAt,
    data: { ...data, session_id: sessionId, question_id: question.id, kind: question.kind, ...times },
    question: textOf(question),
    answerable: { internId: intern.id, sessionId, questionId: question.id, until: deadlineAt },
  }
}

function textOf(question: Question) {
  const asked = argumentsOf(question)
  if (asked.kind === 'elicitation') return { ...asked, message: cut(asked.message) }
  return { ...asked, ...(asked.detail !== undefined && { detail: cut(asked.detail) }) }
}

const cut = (text: string) => (text.length > longestText ? `${text.slice(0, longestText)}…` : text)

/** A turn has ended. */
export function toldRunEnd(intern: Intern, run: RunRecord): Told {
  const { data, ...sight } = about(intern)
  const { id: run_id, intern_id: _, status: __, question_id: ___, ...rest } = runItem(run)
  return {
    ...sight,
    event: 'intern.run_ended',
    subject: `run ${intern.id} ${run.id}`,
    at: run.endedAt ?? run.beganAt,
    data: { ...data, run_id, ...rest },
  }
}

/** The intern has failed. It is started again by itself, where that may help. */
export function toldFailure(intern: Intern, at: number): Told {
  const { data, ...sight } = about(intern)
  return {
    ...sight,
    event: 'intern.failed',
    subject: `failure ${intern.id} ${at}`,
    at,
    data: { ...data, reason: intern.lastFailureMessage, at: isoTime(at) },
  }
}
