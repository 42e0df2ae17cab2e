import { readFormAnswer, readPermissionAnswer } from '#interns/contract/answer.ts'
import {
  maxQuestionItems,
  type PermissionDetails,
  type PermissionKind,
  type Question,
} from '#interns/contract/question.ts'
import type { Action } from '#interns/contract/rules/rule.ts'
import { maxEventBytes } from '#interns/contract/turn-event.ts'
import { cutMiddle } from '#platform/text/truncate.ts'
import { type Form, readElicitation } from '../../acp/permissions/elicitation.ts'
import { cancelledPermission, isAllowing, type PermissionRequest } from '../../acp/permissions/permission.ts'
import { readQuestionPermission } from '../../acp/permissions/question-permission.ts'

/** A pending question of an agent, with the functions that answer it. */
export type PendingQuestion = {
  question: Question
  /** The complete content of a permission, which can be too long for a question. */
  details?: PermissionDetails
  /** The action of a permission, in the form that rules match. */
  action?: Action
  /** Translates the caller's answer for the agent. @throws Refusal if it does not answer the question. */
  read(answer: string): ParsedAnswer
  /** Sends the reply to the agent. Only the first call has an effect. */
  reply(value: unknown): void
  /** The reply to the agent if the caller gives no answer. */
  cancelledReply: unknown
}

/** `isConsent` is false if the caller declined or cancelled. */
export type ParsedAnswer = { value: unknown; isConsent: boolean }

/** A question that has not been asked yet. */
export type QuestionToAsk = Omit<PendingQuestion, 'reply'>

/** Builds the question of a permission request. @param options the kinds of answers that the caller is offered. */
export function createPermissionQuestion(
  id: string,
  request: PermissionRequest,
  { action, options = request.question.options }: { action: Action; options?: PermissionKind[] },
): QuestionToAsk {
  const choices = request.question.choices?.filter(({ kind }) => options.includes(kind))
  const offeredOptions = { options, choices }
  return {
    question: { id, ...request.question, ...offeredOptions, detail: cutDetail(id, request.question.detail) },
    details: request.details,
    action,
    cancelledReply: cancelledPermission,
    read: (answer) => {
      const { answer: kind, choice } = readPermissionAnswer(offeredOptions, answer)
      return { value: request.toOutcome(kind, choice), isConsent: isAllowing(kind) }
    },
  }
}

/** The longest text that a person can read before an answer, in UTF-16 units. The API has the complete text. */
const maxDetailLength = 32_000
/** The length of the end that is included in a shortened text. */
const detailEndLength = 4_000

function cutDetail(id: string, detail: string | null): string | null {
  if (detail === null) return null
  const note = (omitted: number) =>
    `${omitted} characters are omitted here; complete text: GET /interns/{internId}/questions/${id}`
  return cutMiddle(detail, maxDetailLength, detailEndLength, note)
}

/** Builds the question that an agent sends as a permission request. Undefined for an ordinary permission request. */
export function createFormQuestionOfPermission(id: string, params: unknown): QuestionToAsk | undefined {
  const request = readQuestionPermission(params)
  if (!request) return undefined
  const { message, fields } = request.form
  return {
    question: { id, kind: 'elicitation', message, fields: fields.map(toQuestionField) },
    cancelledReply: cancelledPermission,
    read: (answer) => {
      const formAnswer = readFormAnswer(fields, answer)
      return { value: request.toOutcome(formAnswer), isConsent: formAnswer.action === 'accept' }
    },
  }
}

export const cancelledForm = { action: 'cancel' }

/** Builds the question of a form. Undefined if the form requires values that callers cannot send. */
export function createFormQuestion(id: string, params: unknown): QuestionToAsk | undefined {
  const form = readElicitation(params)
  if (!form) return undefined
  return {
    question: { id, kind: 'elicitation', message: form.message, fields: form.fields.map(toQuestionField) },
    cancelledReply: cancelledForm,
    read: (answer) => {
      const value = readFormAnswer(form.fields, answer)
      return { value, isConsent: value.action === 'accept' }
    },
  }
}

const toQuestionField = ({ name, type, required, options }: Form['fields'][number]) => ({
  name,
  type,
  required,
  options,
})

/**
 * @throws Error for a question that is too large for one event, or has a list that is too long. Half of the event is left for its
 * other fields, such as the action of a permission.
 */
export function requireSmallQuestion(question: Question): void {
  const bytes = Buffer.byteLength(JSON.stringify(question))
  if (bytes > maxEventBytes / 2)
    throw new Error(`The agent asks a question of ${bytes} bytes; at most ${maxEventBytes / 2} can be shown.`)
  const lists = question.kind === 'elicitation' ? [question.fields, ...question.fields.map(listOptions)] : []
  const longest = Math.max(0, ...lists.map(({ length }) => length))
  if (longest > maxQuestionItems)
    throw new Error(`The agent asks a question with ${longest} options; at most ${maxQuestionItems} can be shown.`)
}

const listOptions = ({ options = [] }: Form['fields'][number]) => options
