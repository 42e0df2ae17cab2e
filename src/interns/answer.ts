import { checkValue, type FieldValue, type FormField, InvalidValue } from './form.ts'
import { type PermissionKind, permissionKinds } from './question.ts'
import { Refusal } from './refusal.ts'

export type PermissionAnswer = PermissionKind | 'cancel'

export type FormAnswer =
  | { action: 'accept'; content: Record<string, FieldValue> }
  | { action: 'decline' }
  | { action: 'cancel' }

/** Reads the caller's answer to a permission request, compared exactly. Refuses an option that was not offered. */
export function readPermissionAnswer(options: PermissionKind[], word: string): PermissionAnswer {
  if (word === 'cancel') return 'cancel'
  const offered = options.find((option) => option === word)
  if (offered) return offered
  const known = permissionKinds.some((kind) => kind === word)
  const wrong = known ? `"${word}" was not offered` : 'The answer is none of the options'
  throw new Refusal('bad_request', `${wrong}. Answer with one of: ${[...options, 'cancel'].join(', ')}.`)
}

/** Reads the caller's answer to a question. Refuses values that do not fit its fields. */
export function readFormAnswer(fields: FormField[], answer: string): FormAnswer {
  const said = parseObject(answer)
  if (!said) {
    throw new Refusal(
      'bad_request',
      'The answer to a question is a JSON object with "action": accept, decline or cancel.',
    )
  }
  if (said.action === 'decline' || said.action === 'cancel') return { action: said.action }
  if (said.action !== 'accept') {
    throw new Refusal('bad_request', 'The "action" of an answer must be accept, decline or cancel.')
  }
  return { action: 'accept', content: readContent(fields, said.content ?? {}) }
}

function readContent(fields: FormField[], content: unknown): Record<string, FieldValue> {
  if (!isObject(content)) throw new Refusal('bad_request', 'The "content" of an answer must be a JSON object.')
  const values: [string, FieldValue][] = []
  const said = new Map(Object.entries(content))
  try {
    for (const field of fields) {
      const value = said.get(field.name) ?? undefined
      said.delete(field.name)
      if (value !== undefined) values.push([field.name, checkValue(field, value)])
      else if (field.required) throw new InvalidValue(`${field.name} is required`)
    }
    for (const unknown of said.keys())
      throw new InvalidValue(`${JSON.stringify(unknown)} is not a field of this question`)
  } catch (error) {
    if (!(error instanceof InvalidValue)) throw error
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

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
