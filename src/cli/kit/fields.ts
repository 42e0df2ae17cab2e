import { readFileSync } from 'node:fs'
import { StartupError } from '#platform/core/fault.ts'
import { whyUnread } from '#platform/process/system-error.ts'
import { printableLine } from '#platform/text/printable.ts'

/**
 * Fields of a request body, from arguments such as `limit_usd=50`. A value that is JSON is that value, every other one
 * is text.
 * @param isList whether a field takes a list: then a text is its items, with commas between them
 * @throws StartupError for an argument without a name or "="
 */
export function fieldsFrom(
  words: readonly string[],
  isList: (field: string) => boolean = () => false,
): Record<string, unknown> {
  const fields: Record<string, unknown> = {}
  for (const word of words) {
    const [, name, text] = /^([^=\s]+)=(.*)$/s.exec(word) ?? []
    if (name === undefined || text === undefined) {
      throw new StartupError(
        `"${word}" is no field: write name=value, such as limit_usd=50, or name=null to remove it.`,
      )
    }
    if (Object.hasOwn(fields, name)) throw new StartupError(`The field "${name}" is given twice.`)
    fields[name] = valueFrom(text, isList(name))
  }
  return fields
}

function valueFrom(text: string, isList: boolean): unknown {
  const value = fromJson(text)
  if (value === undefined) return isList ? text.split(',').map((item) => item.trim()) : text
  return isList && value !== null && !Array.isArray(value) ? [value] : value
}

function fromJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** @throws StartupError when the file cannot be read, or holds no JSON object. */
export function bodyFrom(file: string): Record<string, unknown> {
  const read = () => {
    try {
      return readFileSync(file, 'utf8')
    } catch (error) {
      throw new StartupError(`${file} cannot be read: ${whyUnread(error)}.`)
    }
  }
  const body = fromJson(read())
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as Record<string, unknown>
  throw new StartupError(`${file} must hold a JSON object.`)
}

/** What a record says, a field on each line. Fields that say nothing are left out. */
export function listing(record: object): string {
  const said = Object.entries(record).filter(([, value]) => value !== null && value !== undefined && value !== '')
  const width = Math.max(0, ...said.map(([name]) => name.length))
  return said.map(([name, value]) => `${name.padEnd(width)}  ${printableLine(shown(value))}`).join('\n')
}

const shown = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
