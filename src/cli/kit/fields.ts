import { readFileSync } from 'node:fs'
import { UserFacingError } from '#platform/core/fault.ts'
import { isObject } from '#platform/core/is-object.ts'
import { parseJsonOr } from '#platform/core/parse-json.ts'
import { readErrorText } from '#platform/process/system-error.ts'
import { printableLine } from '#platform/text/printable.ts'

/**
 * Parses arguments such as `limit_usd=50` into the fields of a request body. A value is JSON if it parses as JSON,
 * otherwise a string.
 * @param isList whether a field is a list; its text is then split at commas
 * @throws UserFacingError for an argument without a name or "="
 */
export function parseFields(
  args: readonly string[],
  isList: (field: string) => boolean = () => false,
): Record<string, unknown> {
  const fields: Record<string, unknown> = {}
  for (const arg of args) {
    const [, name, text] = /^([^=\s]+)=(.*)$/s.exec(arg) ?? []
    if (name === undefined || text === undefined) {
      throw new UserFacingError(
        `"${arg}" is not a field: write name=value, such as limit_usd=50, or name=null to remove a value.`,
      )
    }
    if (Object.hasOwn(fields, name)) throw new UserFacingError(`The field "${name}" is given twice.`)
    fields[name] = parseFieldValue(text, { isList: isList(name) })
  }
  return fields
}

function parseFieldValue(text: string, { isList }: { isList: boolean }): unknown {
  const value = parseJsonOr(text, undefined)
  if (value === undefined) return isList ? text.split(',').map((item) => item.trim()) : text
  return isList && value !== null && !Array.isArray(value) ? [value] : value
}

/** Reads a JSON object from a file. @throws UserFacingError when the file is unreadable or contains something else */
export function readBodyFile(file: string): Record<string, unknown> {
  const body = parseJsonOr(readText(file), undefined)
  if (isObject(body)) return body
  throw new UserFacingError(`${file} must contain a JSON object.`)
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new UserFacingError(`${file} cannot be read: ${readErrorText(error)}.`)
  }
}

/** Formats a record with one field on each line. Empty fields are skipped. */
export function formatRecord(record: object): string {
  const fields = Object.entries(record).filter(([, value]) => value !== null && value !== undefined && value !== '')
  const width = Math.max(0, ...fields.map(([name]) => name.length))
  return fields.map(([name, value]) => `${name.padEnd(width)}  ${printableLine(valueText(value))}`).join('\n')
}

const valueText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
