import { printableLine } from '#platform/text/printable.ts'

/** Columns as wide as their widest cell, two spaces between them, nothing at the ends of lines. */
export function table(heads: string[], rows: string[][]): string {
  const lines = [heads, ...rows.map((row) => row.map(printableLine))]
  const widths = heads.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? '').length)))
  return lines
    .map((line) =>
      line
        .map((cell, n) => cell.padEnd(widths[n] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
