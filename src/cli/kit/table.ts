import { printableLine } from '#platform/text/printable.ts'
import { displayWidth, padToWidth } from './display-width.ts'

/** Formats a table: each column is as wide as its widest cell, with two spaces between columns. */
export function table(headings: string[], rows: string[][]): string {
  const lines = [headings, ...rows.map((row) => row.map(printableLine))]
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => displayWidth(line[column] ?? ''))))
  return lines
    .map((line) =>
      line
        .map((cell, column) => padToWidth(cell, widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
