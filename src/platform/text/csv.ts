/** A cell of a table. */
export type CsvValue = string | number | boolean | null | undefined

/** The characters that start a formula in a spreadsheet. A formula could send the content of other cells to another host. */
const formulaStart = /^[=+\-@\t\r]/
const needsQuotes = /[",\r\n]/

/** Writes a line of CSV (RFC 4180). An apostrophe is put before text that a spreadsheet would evaluate as a formula. */
export function csvLine(values: readonly CsvValue[]): string {
  return `${values.map(csvCell).join(',')}\r\n`
}

function csvCell(value: CsvValue): string {
  if (value === null || value === undefined) return ''
  if (typeof value !== 'string') return String(value)
  const safe = formulaStart.test(value) ? `'${value}` : value
  return needsQuotes.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
