/** Numbers with fewer digits are exact in double precision. */
const longNumber = /\d{16}/

/** The functions of `JSON` that the types of the language lack. */
const rawJson = JSON as unknown as { rawJSON: (text: string) => object; isRawJSON: (value: unknown) => boolean }

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
