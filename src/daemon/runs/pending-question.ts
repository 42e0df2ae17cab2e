import { readFormAnswer, readPermissionAnswer } from '#interns/contract/answer.ts'
import type { PermissionKind, Question, WholePermission } from '#interns/contract/question.ts'
import type { Action } from '#interns/contract/rules/rule.ts'
import { cutMiddle } from '#platform/text/whole-characters.ts'
import { type Form, readElicitation } from '../acp/elicitation.ts'
import { cancelledPermission, type PermissionRequest } from '../acp/permission.ts'
import { readQuestionPermission } from '../acp/question-permission.ts'

/** A question that an agent waits for, with what it needs to be answered. */
export type PendingQuestion = {
  question: Question
  /** All that it is about, where that may be too long for a question. */
  whole?: WholePermission
  /** What a permission is about, for rules to judge. */
  action?: Action
  /** The caller's words as the agent's own. Throws a `Refusal` where they do not answer the question. */
  read(answer: string): Reading
  /** Gives the agent its reply; the first one counts. */
  reply(value: unknown): void
  /** The agent's answer if the caller gives none. */
  cancelled: unknown
}

/** `consent` is false when the caller said no, in whichever way. */
export type Reading = { value: unknown; consent: boolean }

type Described = Omit<PendingQuestion, 'reply'>

/** `options` are the kinds of the request that the caller is offered. */
export function askPermission(
  id: string,
  request: PermissionRequest,
  { action, options = request.question.options }: { action: Action; options?: PermissionKind[] },
): Described {
  const choices = request.question.choices?.filter(({ kind }) => options.includes(kind))
  const offered = { options, ...(choices && { choices }) }
  return {
    question: { id, ...request.question, ...offered, detail: cutDetail(id, request.question.detail) },
    whole: request.whole,
    action,
    cancelled: cancelledPermission,
    read: (answer) => {
      const said = readPermissionAnswer(offered, answer)
      return { value: request.outcome(said.answer, said.choice), consent: said.answer.startsWith('allow') }
    },
  }
}

/** What somebody can read before they consent; more is for those who ask for it. In UTF-16 units. */
const longestDetail = 32_000
/** Of what is too long, this much of its end is shown as well. */
const shownEnd = 4_000

function cutDetail(id: string, detail: string | null): string | null {
  const all = `all of it: GET /interns/{internId}/questions/${id}`
  return detail && cutMiddle(detail, longestDetail, shownEnd, (left) => `${left} characters are left out here; ${all}`)
}

/** A question that an agent asks as a permission; nothing for what is a permission indeed. */
export function askQuestionPermission(id: string, params: unknown): Described | undefined {
  const asked = readQuestionPermission(params)
  if (!asked) return undefined
  const { message, fields } = asked.form
  return {
    question: { id, kind: 'elicitation', message, fields: fields.map(describe) },
    cancelled: cancelledPermission,
    read: (answer) => {
      const said = readFormAnswer(fields, answer)
      return { value: asked.outcome(said), consent: said.action === 'accept' }
    },
  }
}

export const cancelledForm = { action: 'cancel' }

/** Nothing when the form cannot be put to a caller. */
export function askForm(id: string, params: unknown): Described | undefined {
  const form = readElicitation(params)
  if (!form) return undefined
  return {
    question: { id, kind: 'elicitation', message: form.message, fields: form.fields.map(describe) },
    cancelled: cancelledForm,
    read: (answer) => {
      const said = readFormAnswer(form.fields, answer)
      return { value: said, consent: said.action === 'accept' }
    },
  }
}

const describe = ({ name, type, required, options }: Form['fields'][number]) => ({
  name,
  type,
  required,
  ...(options && { options }),
})
