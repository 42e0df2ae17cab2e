/** Numbers with fewer digits are exact in double precision. */
const longNumber = /\d{16}/

/** The functions of `JSON` that the types of the language lack. */
const rawJson = JSON as unknown as { rawJSON: (text: string) => ExactNumber; isRawJSON: (value: unknown) => boolean }

/** A number that double precision would round. `JSON.stringify` writes its digits. */
type ExactNumber = { readonly rawJSON: string }

/** Selects fields by their names and the objects that have them. */
export type FieldFilter = (name: string, parent: Readonly<Record<string, unknown>>) => boolean

type Reviver = (name: string, value: unknown, context: { source?: string }) => unknown

/**
 * Parses JSON that will be written again. Numbers that double precision would round, such as ids of 64 bits, are objects that
 * `JSON.stringify` writes with their digits.
 */
export function parseExactly(json: string): unknown {
  if (!longNumber.test(json)) return JSON.parse(json)
  const value: unknown = JSON.parse(json, keepDigits as (name: string, value: unknown) => unknown)
  return rawJson.isRawJSON(value) ? Number(json) : value
}

const keepDigits: Reviver = (_name, value, { source }) => {
  if (typeof value !== 'number' || source === undefined || !longNumber.test(source)) return value
  return String(value) === source ? value : rawJson.rawJSON(source)
}

const isExactNumber = (value: unknown): value is ExactNumber => rawJson.isRawJSON(value)

/** Whether a JSON text has a long number after a colon, comma or bracket. Texts often have long numbers in other positions. */
export const hasLongNumber = (json: string): boolean => /[:,[]\s*-?(?:\d+\.)?\d{16}/.test(json)

/** Like `JSON.parse`, but numbers within the selected fields are exact, as those of `parseExactly`. */
export function parseWithExactFields(json: string, isExact: FieldFilter): unknown {
  return hasLongNumber(json) ? roundOthers(parseExactly(json), isExact, (field) => field) : JSON.parse(json)
}

/**
 * Replaces the selected fields that contain exact numbers by their JSON text, and rounds all other exact numbers. Changes the
 * value of `parseExactly`, and returns it.
 */
export function toTextOfExactFields(value: unknown, isExact: FieldFilter): unknown {
  return roundOthers(value, isExact, (field) => (containsExactNumber(field) ? JSON.stringify(field) : field))
}

function roundOthers(value: unknown, isExact: FieldFilter, convert: (field: object) => unknown): unknown {
  const pending = [value as Record<string, unknown>]
  for (let parent = pending.pop(); parent; parent = pending.pop())
    for (const name in parent) {
      const field = parent[name]
      if (typeof field !== 'object' || field === null) continue
      if (isExact(name, parent)) parent[name] = convert(field)
      else if (isExactNumber(field)) parent[name] = Number(field.rawJSON)
      else pending.push(field as Record<string, unknown>)
    }
  return value
}

function containsExactNumber(value: object): boolean {
  const pending = [value]
  for (let inner = pending.pop(); inner; inner = pending.pop()) {
    if (isExactNumber(inner)) return true
    for (const field of Object.values(inner)) if (typeof field === 'object' && field !== null) pending.push(field)
  }
  return false
}
