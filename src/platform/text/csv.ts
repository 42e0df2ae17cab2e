/** A value of a table. */
export type CsvValue = string | number | boolean | null | undefined

/** What a spreadsheet takes for the beginning of a formula, which may send what stands in other cells elsewhere. */
const formula = /^[=+\-@\t\r]/
const quoted = /[",\r\n]/

/** A line of RFC 4180. Text that a spreadsheet would run as a formula has an apostrophe before it, as these want it. */
export function csvLine(values: readonly CsvValue[]): string {
  return `${values.map(csvCell).join(',')}\r\n`
}

function csvCell(value: CsvValue): string {
  if (value === null || value === undefined) return ''
  if (typeof value !== 'string') return String(value)
  const safe = formula.test(value) ? `'${value}` : value
  return quoted.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
