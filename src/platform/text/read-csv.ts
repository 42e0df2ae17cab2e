/** The records of a CSV text with a header (RFC 4180), by column name. Empty lines are skipped, short lines filled up. */
export function readCsv(text: string): { columns: string[]; rows: Record<string, string>[] } {
  const [columns = [], ...lines] = parseLines(text.replace(/^\uFEFF/, ''))
  const rows = lines.map((cells) =>
    Object.fromEntries(columns.map((name, at) => [name.trim(), (cells[at] ?? '').trim()])),
  )
  return { columns: columns.map((name) => name.trim()), rows }
}

const lineEnd = /\r?\n|\r/

/** A cell with the separator after it. A quoted cell can contain separators, line breaks and doubled quotes. */
const cellPattern = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|\r|$)/gy

function parseLines(text: string): string[][] {
  const lines: string[][] = []
  let line: string[] = []
  cellPattern.lastIndex = 0
  while (cellPattern.lastIndex < text.length) {
    const start = cellPattern.lastIndex
    const match = cellPattern.exec(text)
    if (!match) throw new SyntaxError(`line ${text.slice(0, start).split(lineEnd).length} is not CSV`)
    const [, quoted, unquoted = '', separator] = match
    line.push(quoted?.replaceAll('""', '"') ?? unquoted)
    if (separator === ',' && cellPattern.lastIndex < text.length) continue
    if (separator === ',') line.push('')
    if (line.some((value) => value !== '')) lines.push(line)
    line = []
  }
  return lines
}
