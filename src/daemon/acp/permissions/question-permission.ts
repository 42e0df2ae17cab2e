import type { FormAnswer } from '#interns/contract/answer.ts'
import type { FormField } from '#interns/contract/form.ts'
import { readProperty } from '../rpc-message.ts'
import type { Form } from './elicitation.ts'
import { cancelledPermission, type PermissionOutcome } from './permission.ts'

/** A question that an agent sends as a permission request. The reply has the answers in addition to the outcome. */
type QuestionPermission = {
  form: Form
  toOutcome(answer: FormAnswer): PermissionOutcome & { answers?: Record<string, string> }
}

const maxQuestions = 20

/**
 * Reads the dialect of qwen: `_meta` of the tool call marks it as a question and contains the questions, each with options
 * of which one or several can be chosen. Undefined for an ordinary permission request.
 */
export function readQuestionPermission(params: unknown): QuestionPermission | undefined {
  const call = readProperty(params, 'toolCall')
  const meta = readProperty(call, '_meta')
  if (readProperty(meta, 'qwenInteractionKind') !== 'user_question') return undefined
  const candidates = [readProperty(meta, 'qwenQuestions'), readProperty(readProperty(call, 'rawInput'), 'questions')]
  const questions = candidates.find((one) => Array.isArray(one) && one.length > 0) as unknown[] | undefined
  const submitOptionId = findOptionId(params, 'allow_once')
  if (!questions || questions.length > maxQuestions || submitOptionId === undefined) return undefined
  const fields = questions.map(toField)
  return {
    form: { message: questions.map(questionText).join('\n'), fields },
    toOutcome: (answer) => {
      if (answer.action !== 'accept') return declineOutcome(params)
      const answers = fields.flatMap(({ name }, at) => {
        const value = answer.content[name]
        return value === undefined ? [] : [[String(at), Array.isArray(value) ? value.join(', ') : String(value)]]
      })
      return { outcome: { outcome: 'selected', optionId: submitOptionId }, answers: Object.fromEntries(answers) }
    },
  }
}

function toField(question: unknown, at: number): FormField {
  const options = readLabels(question)
  const base = { name: `answer_${at + 1}`, required: true }
  if (options.length === 0) return { ...base, type: 'string' }
  return { ...base, type: readProperty(question, 'multiSelect') === true ? 'array' : 'string', options }
}

function questionText(question: unknown, at: number): string {
  const choices = readOptions(question).map((option) => {
    const label = text(option, 'label')
    const description = text(option, 'description')
    return `  - ${label}${description ? ` (${description})` : ''}`
  })
  return [`answer_${at + 1}: ${text(question, 'question') || text(question, 'header')}`, ...choices].join('\n')
}

const readOptions = (question: unknown) => {
  const options = readProperty(question, 'options')
  return Array.isArray(options) ? options : []
}
const readLabels = (question: unknown) =>
  readOptions(question)
    .map((option) => text(option, 'label'))
    .filter(Boolean)

const text = (from: unknown, key: string) => {
  const value = readProperty(from, key)
  return typeof value === 'string' ? value : ''
}

function declineOutcome(params: unknown): PermissionOutcome {
  const optionId = findOptionId(params, 'reject_once')
  return optionId === undefined ? cancelledPermission : { outcome: { outcome: 'selected', optionId } }
}

function findOptionId(params: unknown, kind: string): string | undefined {
  const options = readProperty(params, 'options')
  const found = Array.isArray(options) ? options.find((option) => readProperty(option, 'kind') === kind) : undefined
  const id = readProperty(found, 'optionId')
  return typeof id === 'string' ? id : undefined
}
