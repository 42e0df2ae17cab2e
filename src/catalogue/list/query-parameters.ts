import { z } from '#platform/json/schema.ts'
import { parseExact } from '../index/prices/exact-decimal.ts'

type Metadata = Record<string, unknown>
type ParseText<T> = (text: string) => T | InvalidParameter

/** A query parameter with one value. It can be repeated with the same value. */
function parameter<T>(read: ParseText<T>, metadata: Metadata = {}) {
  return repeatable(collapseEqualRepeats, read, metadata)
}

/** A query parameter with a list. If it is repeated, the lists are joined. */
function listParameter<T>(read: ParseText<T>, metadata: Metadata) {
  return repeatable(joinRepeats, read, metadata)
}

function repeatable<T>(combine: (value: unknown) => unknown, read: ParseText<T>, metadata: Metadata) {
  const schema = z.string('is repeated with different values; give it once').transform((text, context) => {
    const value = read(text)
    if (!(value instanceof InvalidParameter)) return value
    context.addIssue({ code: 'custom', message: value.message, input: text })
    return z.NEVER
  })
  return z.preprocess(combine, schema).optional().meta(metadata)
}

class InvalidParameter {
  readonly message: string

  constructor(message: string) {
    this.message = message
  }
}

function collapseEqualRepeats(value: unknown): unknown {
  return Array.isArray(value) && value.every((each) => each === value[0]) ? value[0] : value
}

function joinRepeats(value: unknown): unknown {
  return Array.isArray(value) ? value.join(',') : value
}

export function text(description: string) {
  return parameter((value) => (value.trim() === '' ? new InvalidParameter('must not be empty') : value), {
    description,
    pattern: '\\S',
  })
}

/** Any text. */
export function anyText(description: string) {
  return parameter((value) => value, { description })
}

export function oneOf<const Value extends string>(values: readonly Value[], description: string) {
  return parameter((value) => parseEnum(values, value), { description, enum: values })
}

/** A comma-separated list. */
export function listOf(description: string) {
  return listParameter(splitList, { description, pattern: nonEmptyItems })
}

export function enumList<const Value extends string>(values: readonly Value[], description: string) {
  return listParameter(
    (value) => {
      const items = splitList(value)
      if (items instanceof InvalidParameter) return items
      const parsed: Value[] = []
      for (const item of items) {
        const value = parseEnum(values, item)
        if (value instanceof InvalidParameter) return value
        parsed.push(value)
      }
      return parsed
    },
    { description: `${description} Any of: ${values.join(', ')}.`, pattern: itemsPattern(values) },
  )
}

/** Items with at least one visible character. */
const nonEmptyItems = '^[^,]*[^,\\s][^,]*(,[^,]*[^,\\s][^,]*)*$'

function itemsPattern(values: readonly string[]): string {
  const item = `(${values.join('|')})`
  return `^${item}(,${item})*$`
}

/** `orNull`: whether the text `null` is accepted, which means the same as no parameter. */
type Bounds = { min?: number; max?: number; orNull?: boolean }

/** Larger values are replaced by this one, which exceeds every number of the catalogue. */
const maxInteger = 10 ** 15

export function integer(description: string, { min = 0, max = maxInteger, orNull = false }: Bounds = {}) {
  const range = max < maxInteger ? ` from ${min} to ${max}` : `, at least ${min}`
  const invalid = new InvalidParameter(`must be a whole number${range}`)
  return parameter(
    (value) => {
      if (orNull && value === 'null') return undefined
      const number = /^\d+$/.test(value) ? Math.min(Number(value), maxInteger) : Number.NaN
      return number >= min && number <= max ? number : invalid
    },
    { description, type: orNull ? ['integer', 'null'] : 'integer', minimum: min, maximum: max },
  )
}

export function number(description: string, { max = Number.MAX_VALUE }: Pick<Bounds, 'max'> = {}) {
  const range = max < Number.MAX_VALUE ? ` from 0 to ${max}` : ', at least 0'
  const invalid = new InvalidParameter(`must be a number${range}`)
  return parameter(
    (value) => {
      if (value === 'null') return undefined
      return parseExact(value) && Number(value) <= max ? Number(value) : invalid
    },
    { description, type: ['number', 'null'], minimum: 0, ...(max < Number.MAX_VALUE && { maximum: max }) },
  )
}

/** USD per million tokens, parsed exactly, so that it compares equal to the same price. */
export function price(description: string) {
  return parameter(
    (value) => {
      if (value === 'null') return undefined
      const perMillion = parseExact(value)
      if (!perMillion) return new InvalidParameter('must be a number of USD per million tokens, at least 0')
      // A million is 10^6, so the price of one token has six more decimal places.
      return { digits: perMillion.digits, scale: perMillion.scale + 6 }
    },
    { description, type: ['number', 'null'], minimum: 0 },
  )
}

export function flag(description: string) {
  return parameter(
    (value) => {
      if (value === 'true') return true
      return value === 'false' ? false : new InvalidParameter('must be true or false')
    },
    { description, type: 'string', enum: ['true', 'false'] },
  )
}

function splitList(value: string): string[] | InvalidParameter {
  const items = value.split(',').map((item) => item.trim())
  return items.includes('') ? new InvalidParameter('has an empty element') : items
}

function parseEnum<Value extends string>(values: readonly Value[], value: string): Value | InvalidParameter {
  const match = values.find((each) => each === value)
  return match ?? new InvalidParameter(`must be ${values.length > 1 ? 'one of ' : ''}${values.join(', ')}`)
}
