import { readFormAnswer, readPermissionAnswer } from '#interns/answer.ts'
import type { Question } from '#interns/question.ts'
import { type Form, readElicitation } from './acp/elicitation.ts'
import { cancelledPermission, type PermissionRequest } from './acp/permission.ts'

/** A question that an agent waits for, with what it needs to be answered. */
export type PendingQuestion = {
  question: Question
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

export function askPermission(id: string, request: PermissionRequest): Described {
  return {
    question: { id, ...request.question },
    cancelled: cancelledPermission,
    read: (answer) => {
      const said = readPermissionAnswer(request.question.options, answer)
      return { value: request.outcome(said), consent: said.startsWith('allow') }
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
