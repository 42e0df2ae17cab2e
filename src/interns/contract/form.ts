import { RE2JS } from 're2js'
import { Fault } from '#platform/core/fault.ts'
import type { Field } from './question.ts'

/** A field with the constraints of its agent. The question's message describes them to the caller. */
export type FormField = Field & {
  minLength?: number
  maxLength?: number
  pattern?: string
  format?: string
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
}

export type FieldValue = string | number | boolean | string[]

/**
 * Checks a value. @returns the value for the agent. @throws Fault `invalid` whose message starts with the field's name and
 * says what is valid.
 */
export function checkValue(field: FormField, value: unknown): FieldValue {
  switch (field.type) {
    case 'string':
      return field.options ? checkOption(field, value) : checkString(field, value)
    case 'number':
    case 'integer':
      return checkNumber(field, value)
    case 'boolean':
      return typeof value === 'boolean' ? value : rejectValue(field, 'must be true or false')
    case 'array':
      return checkChoices(field, value)
    default:
      return field.type satisfies never
  }
}

function rejectValue(field: FormField, demand: string): never {
  throw new Fault('invalid', `${field.name} ${demand}`)
}

function checkOption(field: FormField, value: unknown): string {
  const options = field.options ?? []
  if (typeof value === 'string' && options.includes(value)) return value
  return rejectValue(field, `must be one of ${options.map((option) => JSON.stringify(option)).join(', ')}`)
}

function checkString(field: FormField, value: unknown): string {
  if (typeof value !== 'string') return rejectValue(field, 'must be a string')
  const length = [...value].length
  if (length < (field.minLength ?? 0)) rejectValue(field, `must have at least ${field.minLength} characters`)
  if (length > (field.maxLength ?? Number.POSITIVE_INFINITY)) {
    rejectValue(field, `must have at most ${field.maxLength} characters`)
  }
  if (field.pattern && !matchesPattern(field.pattern, value))
    rejectValue(field, `must match the pattern ${field.pattern}`)
  if (field.format && formats.get(field.format)?.(value) === false)
    rejectValue(field, `must be a valid ${field.format}`)
  return value
}

function checkNumber(field: FormField, value: unknown): number {
  if (typeof value !== 'number')
    return rejectValue(field, field.type === 'integer' ? 'must be an integer' : 'must be a number')
  if (field.type === 'integer' && !Number.isSafeInteger(value)) rejectValue(field, 'must be an integer')
  if (value < (field.minimum ?? Number.NEGATIVE_INFINITY)) rejectValue(field, `must be at least ${field.minimum}`)
  if (value > (field.maximum ?? Number.POSITIVE_INFINITY)) rejectValue(field, `must be at most ${field.maximum}`)
  return value
}

function checkChoices(field: FormField, value: unknown): string[] {
  if (!Array.isArray(value)) return rejectValue(field, 'must be an array of its options')
  const choices = value.map((item) => checkOption(field, item))
  if (new Set(choices).size < choices.length) rejectValue(field, 'must not name an option twice')
  if (choices.length < (field.minItems ?? 0)) rejectValue(field, `must name at least ${field.minItems} options`)
  if (choices.length > (field.maxItems ?? Number.POSITIVE_INFINITY)) {
    rejectValue(field, `must name at most ${field.maxItems} options`)
  }
  return choices
}

/**
 * Matches with an engine of linear time, because agent and caller are not trusted. A pattern that this engine does not
 * support is checked by the agent alone.
 */
function matchesPattern(pattern: string, value: string): boolean {
  try {
    return RE2JS.compile(pattern).matcher(value).find()
  } catch {
    return true
  }
}

const formats: ReadonlyMap<string, (value: string) => boolean> = new Map([
  ['email', (value: string) => /^[^\s@]+@[^\s@]+$/.test(value)],
  ['uri', (value: string) => URL.parse(value) !== null],
  ['date', (value: string) => /^\d{4}-\d\d-\d\d$/.test(value) && isRealDate(value)],
  ['date-time', (value: string) => /^\d{4}-\d\d-\d\d[Tt ]/.test(value) && !Number.isNaN(Date.parse(value))],
])

function isRealDate(value: string): boolean {
  const date = new Date(`${value}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value)
}
