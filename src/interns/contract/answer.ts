import { Fault } from '#platform/core/fault.ts'
import { isObject } from '#platform/core/is-object.ts'
import { checkValue, type FieldValue, type FormField } from './form.ts'
import {
  listPermissionAnswers,
  type PermissionChoice,
  type PermissionKind,
  type PermissionQuestion,
  permissionKinds,
} from './question.ts'
import { Refusal } from './refusal.ts'

export type PermissionAnswer = PermissionKind | 'cancel'

export type FormAnswer =
  | { action: 'accept'; content: Record<string, FieldValue> }
  | { action: 'decline' }
  | { action: 'cancel' }

/** `choice` is set if the caller named one option by its id. */
type ParsedPermissionAnswer = { answer: PermissionAnswer; choice?: PermissionChoice }
type OfferedOptions = Pick<PermissionQuestion, 'options' | 'choices'>

/**
 * Reads the caller's answer to a permission request: exactly the id of an option, or the word of a kind.
 * @throws Refusal for an option that was not offered, and for a kind with several options.
 */
export function readPermissionAnswer(offered: OfferedOptions, word: string): ParsedPermissionAnswer {
  if (word === 'cancel') return { answer: 'cancel' }
  const choice = offered.choices?.find(({ id }) => id === word)
  if (choice) return { answer: choice.kind, choice }
  const kind = permissionKinds.find((permissionKind) => permissionKind === word)
  const answers = listPermissionAnswers(offered)
  if (kind && answers.some(({ answer }) => answer === kind)) return { answer: kind }
  let problem = 'The answer is not one of the options'
  if (kind) {
    const isAmbiguous = answers.some((offeredAnswer) => offeredAnswer.kind === kind)
    problem = isAmbiguous ? `Several options are of the kind "${word}"` : `"${word}" was not offered`
  }
  const validAnswers = answers.map(({ answer, name }) => (name === undefined ? answer : `${answer} (${name})`))
  throw new Refusal('bad_request', `${problem}. Answer with one of: ${[...validAnswers, 'cancel'].join(', ')}.`)
}

/**
 * Reads the caller's answer to a form.
 * @throws Refusal for values that do not fit its fields.
 */
export function readFormAnswer(fields: FormField[], answer: string): FormAnswer {
  const parsed = parseObject(answer)
  if (!parsed) {
    throw new Refusal(
      'bad_request',
      'The answer to a question is a JSON object with "action": accept, decline or cancel.',
    )
  }
  if (parsed.action === 'decline' || parsed.action === 'cancel') return { action: parsed.action }
  if (parsed.action !== 'accept') {
    throw new Refusal('bad_request', 'The "action" of an answer must be accept, decline or cancel.')
  }
  return { action: 'accept', content: readContent(fields, parsed.content ?? {}) }
}

function readContent(fields: FormField[], content: unknown): Record<string, FieldValue> {
  if (!isObject(content)) throw new Refusal('bad_request', 'The "content" of an answer must be a JSON object.')
  const values: [string, FieldValue][] = []
  const unread = new Map(Object.entries(content))
  try {
    for (const field of fields) {
      // A client can send null for a field without a value.
      const value = unread.get(field.name) ?? undefined
      unread.delete(field.name)
      if (value !== undefined) values.push([field.name, checkValue(field, value)])
      else if (field.required) throw new Fault('invalid', `${field.name} is required`)
    }
    for (const unknown of unread.keys())
      throw new Fault('invalid', `${JSON.stringify(unknown)} is not a field of this question`)
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    throw new Refusal('bad_request', `The answer does not fit the question: ${error.message}.`)
  }
  return Object.fromEntries(values)
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
