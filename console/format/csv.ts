type Value = string | number | null

/** The characters that start a formula in a spreadsheet. */
const formula = /^[=+\-@\t\r]/
const needsQuotes = /[",\r\n]/

/** Writes lines of CSV (RFC 4180). An apostrophe is put before text that a spreadsheet would evaluate as a formula. */
export const csvText = (lines: readonly (readonly Value[])[]): string =>
  lines.map((line) => `${line.map(fieldText).join(',')}\r\n`).join('')

function fieldText(value: Value): string {
  if (value === null) return ''
  if (typeof value === 'number') return plainNumber(value)
  const safe = formula.test(value) ? `'${value}` : value
  return needsQuotes.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Writes a number without an exponent, which some spreadsheets read as text. */
const plainNumber = (value: number) =>
  /e/.test(String(value)) ? value.toFixed(12).replace(/0+$/, '').replace(/\.$/, '') : String(value)
