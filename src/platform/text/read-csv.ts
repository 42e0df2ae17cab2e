/** The records of a CSV text with a header (RFC 4180), by column name. Empty lines are skipped, short lines filled up. */
export function readCsv(text: string): { columns: string[]; rows: Record<string, string>[] } {
  const [columns = [], ...lines] = linesOf(text.replace(/^\uFEFF/, ''))
  const rows = lines.map((cells) =>
    Object.fromEntries(columns.map((name, at) => [name.trim(), (cells[at] ?? '').trim()])),
  )
  return { columns: columns.map((name) => name.trim()), rows }
}

/** A cell with the separator after it. A quoted cell can contain separators, line breaks and doubled quotes. */
const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|\r|$)/gy

function linesOf(text: string): string[][] {
  const lines: string[][] = []
  let line: string[] = []
  cell.lastIndex = 0
  while (cell.lastIndex < text.length) {
    const found = cell.exec(text)
    if (!found) throw new SyntaxError(`line ${lines.length + 1} is not CSV`)
    const [, quoted, plain = '', separator] = found
    line.push(quoted?.replaceAll('""', '"') ?? plain)
    if (separator === ',' && cell.lastIndex < text.length) continue
    if (separator === ',') line.push('')
    if (line.some((value) => value !== '')) lines.push(line)
    line = []
  }
  return lines
}
