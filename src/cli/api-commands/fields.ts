import { Argument as CommandArgument, InvalidArgumentError, Option } from 'commander'
import type { Field, Operation } from './operation.ts'

/** The option for a field. Its flags and help can replace those that follow from the field. */
export function optionFor(name: string, field: Field, { method }: Operation, flags?: string, help?: string): Option {
  const isUpdate = method === 'PATCH' || method === 'PUT'
  const option = new Option(flags ?? flagsOf(name, field, isUpdate), help ?? helpOf(name, field, isUpdate))
  if (option.isBoolean() || option.negate) return option
  const choices = choicesOf(field)
  return choices
    ? option.choices(choices)
    : option.argParser((text, earlier) => collectValue(field, text, earlier, { isList: option.variadic }))
}

/** The argument for a required field. */
export function argumentFor(name: string, field: Field, help: string): CommandArgument {
  const isList = field.type === 'list' || field.type === 'numbers'
  const argument = new CommandArgument(`<${name}${isList ? '...' : ''}>`, help)
  const choices = choicesOf(field)
  if (choices) return argument.choices(choices)
  return argument.argParser((text: string, earlier: unknown) => collectValue(field, text, earlier, { isList }))
}

/** The value that the API expects. `null`, `true` and `false` are words at the terminal. */
export function apiValue({ type, isNullable }: Field, value: unknown): unknown {
  const word = Array.isArray(value) && value.length === 1 ? value[0] : value
  if (isNullable && word === 'null') return null
  return type === 'boolean' && typeof value === 'string' ? value === 'true' : value
}

/** A name of the API as an option: `limit_usd` becomes `limit-usd`. */
const toKebabCase = (name: string) => name.replaceAll('_', '-')

function flagsOf(name: string, field: Field, isUpdate: boolean): string {
  if (isSwitch(field, isUpdate)) return field.default === true ? `--no-${toKebabCase(name)}` : `--${toKebabCase(name)}`
  const placeholders: Record<Field['type'], string> = {
    string: 'text',
    number: 'number',
    integer: 'number',
    boolean: 'true|false',
    list: 'value...',
    numbers: 'number...',
    json: 'json',
  }
  const placeholder = field.choices && field.type === 'string' ? 'value' : placeholders[field.type]
  return `--${toKebabCase(name)} <${placeholder}>`
}

/** Whether an option needs no value: without it, the default of the API applies. */
const isSwitch = ({ type, isNullable }: Field, isUpdate: boolean) => type === 'boolean' && !isUpdate && !isNullable

/** The help of the API, or else the name of the field in words. */
export function helpFor(name: string, { help }: Field): string {
  const words = name.replaceAll('_', ' ')
  return help ?? words.charAt(0).toUpperCase() + words.slice(1)
}

function helpOf(name: string, field: Field, isUpdate: boolean): string {
  const help = helpFor(name, field)
  const defaultNote = field.default === undefined || isSwitch(field, isUpdate) ? '' : ` (default: ${field.default})`
  const removalNote = field.isNullable && isUpdate && !/\bnull\b/.test(help) ? '. "null" removes it' : ''
  return help + defaultNote + removalNote
}

function choicesOf({ type, choices, isNullable }: Field): string[] | undefined {
  const words = choices ?? (type === 'boolean' ? ['true', 'false'] : undefined)
  return words && (isNullable ? [...words, 'null'] : words)
}

/** Parses one value. Commander calls this for each value of a list, with the `earlier` ones. */
function collectValue(field: Field, text: string, earlier: unknown, { isList }: { isList: boolean }): unknown {
  const value = parseValue(field, text)
  const earlierValues = (earlier as unknown[] | undefined) ?? []
  return isList ? [...earlierValues, value] : value
}

function parseValue({ type, isNullable }: Field, text: string): unknown {
  if (isNullable && text === 'null') return text
  if (type === 'number' || type === 'integer' || type === 'numbers')
    return parseNumber(text, { isWhole: type === 'integer' })
  if (type !== 'json') return text
  try {
    return JSON.parse(text)
  } catch {
    throw new InvalidArgumentError('It must be JSON.')
  }
}

function parseNumber(text: string, { isWhole }: { isWhole: boolean }): number {
  const value = Number(text)
  if (text.trim() !== '' && (isWhole ? Number.isSafeInteger(value) : Number.isFinite(value))) return value
  throw new InvalidArgumentError(`It must be a ${isWhole ? 'whole ' : ''}number.`)
}
