import type * as zod from 'zod'

/**
 * Replaces the messages of Zod in its notation ("Too small: expected string to have >=2 characters") by sentences that
 * continue the name of a field. A message in the declaration of a schema takes precedence.
 * @param typeOf names the type of a value.
 */
export function issueMessage(issue: zod.core.$ZodRawIssue, typeOf: (value: unknown) => string): string | undefined {
  switch (issue.code) {
    case 'too_small':
      return boundMessage(issue.origin, issue.exact ? 'exactly' : 'at least', issue.minimum, issue.inclusive)
    case 'too_big':
      return boundMessage(issue.origin, issue.exact ? 'exactly' : 'at most', issue.maximum, issue.inclusive)
    case 'invalid_value':
      return issue.values.length === 1
        ? `must be ${formatValue(issue.values[0])}`
        : `must be one of ${issue.values.map(formatValue).join(', ')}`
    case 'invalid_format':
      return formatMessage(issue)
    case 'invalid_key':
      return `has an invalid name: ${issue.issues.map(({ message }) => message).join('; ')}`
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`
    case 'invalid_type':
      return typeMessage(issue.expected, typeOf(issue.input))
    default:
      return undefined
  }
}

function typeMessage(expected: string, received: string): string {
  if (expected === 'int') return 'must be a whole number'
  const type = expected === 'record' ? 'object' : expected
  // JSON and query strings have no `undefined`.
  if (received === 'undefined') return `is missing: expected ${type}`
  // A text that is not a number, for example in a query string, or `Infinity`.
  if (received === 'nan' || received === expected) return 'must be a number'
  return `expected ${type}, received ${received}`
}

const units: Record<string, string> = { string: 'character', array: 'item', set: 'item', map: 'entry' }

function boundMessage(origin: string, comparison: string, bound: number | bigint, inclusive?: boolean): string {
  const unit = units[origin]
  if (unit === undefined) {
    if (inclusive) return `must be ${comparison} ${bound}`
    return `must be ${comparison === 'at most' ? 'less' : 'greater'} than ${bound}`
  }
  if (Number(bound) === 1 && comparison === 'at least' && origin === 'string') return 'must not be empty'
  return `must have ${comparison} ${bound} ${Number(bound) === 1 ? unit : plural(unit)}`
}

const plural = (unit: string) => (unit.endsWith('y') ? `${unit.slice(0, -1)}ies` : `${unit}s`)

const formats: Record<string, string> = {
  email: 'an email address',
  url: 'a URL',
  uuid: 'a UUID',
  datetime: 'an ISO 8601 date and time, such as 2030-01-31T00:00:00Z',
  date: 'a date, such as 2030-01-31',
}

function formatMessage(issue: Extract<zod.core.$ZodRawIssue, { code: 'invalid_format' }>): string | undefined {
  const format = formats[issue.format]
  if (format) return `must be ${format}`
  return issue.format === 'regex' ? `must match the pattern ${issue.pattern}` : undefined
}

const formatValue = (value: unknown) => (typeof value === 'string' ? JSON.stringify(value) : String(value))
