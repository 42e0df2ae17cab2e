import type { Row } from './row.ts'

/** All entries for one model; the author is undefined where nobody we know made it, and then there is one entry. */
export type Group = { author: string | undefined; rows: Row[] }

const dayMs = 24 * 60 * 60 * 1000
const sameReleaseMs = 31 * dayMs

/** Brings the entries for one model together, by author, name and variant. */
export function groupRows(rows: readonly Row[]): Group[] {
  const authors = soleAuthors(rows)
  const groups = new Map<string, Group>()
  const unknown: Group[] = []
  for (const row of rows) {
    const author = authorOf(row, authors)
    if (!author) {
      unknown.push({ author, rows: [row] })
      continue
    }
    const name = `${author}/${row.key}:${row.variant ?? ''}`
    const group = groups.get(name)
    if (group) group.rows.push(row)
    else groups.set(name, { author, rows: [row] })
  }
  return [...[...groups.values()].flatMap(byRelease).flatMap(byOutput), ...unknown]
}

/** A model that others quantize and publish under another name keeps its original author. */
function authorOf(row: Row, authors: Map<string, string | undefined>): string | undefined {
  const sole = row.foreign ? undefined : authors.get(row.key)
  return row.quantization && sole ? sole : (row.author ?? sole)
}

/**
 * Maps names to authors where all rows agree on one author. Quantized copies count only if there is no original.
 */
function soleAuthors(rows: readonly Row[]): Map<string, string | undefined> {
  const authors = new Map<string, string | undefined>()
  const original = new Set(rows.filter((row) => row.author && !row.quantization).map((row) => row.key))
  for (const { key, author, quantization } of rows) {
    if (author && !(quantization && original.has(key)))
      authors.set(key, authors.has(key) && authors.get(key) !== author ? undefined : author)
  }
  return authors
}

/**
 * A name with a day and the same name without one are one release only if the name is known with that day alone and
 * came out about then: `gpt-4o` has moved over three days, `claude-opus-4-1` is `claude-opus-4-1-20250805`.
 */
function byRelease(group: Group): Group[] {
  const days = Map.groupBy(group.rows, (row) => row.day)
  const undated = days.get(undefined)
  const [day, second] = [...days.keys()].filter((key) => key !== undefined)
  if (!day || (undated && !second && releasedAbout(undated, day))) return [group]
  return [...days.values()].map((rows) => ({ author: group.author, rows }))
}

function releasedAbout(undated: Row[], day: string): boolean {
  const reference = undated.find((row) => row.firstParty) ?? undated.find((row) => row.based) ?? undated[0]!
  return Math.abs(Date.parse(reference.model.release_date) - Date.parse(day)) <= sameReleaseMs
}

/** An image model and a text model of one name are two models; the first-named kind keeps the name. */
function byOutput(group: Group): Group[] {
  const lead = leadRow(group.rows)
  const [same, other] = [[] as Row[], [] as Row[]]
  for (const row of group.rows) {
    const shared = row.model.modalities.output.some((kind) => lead.model.modalities.output.includes(kind))
    ;(shared ? same : other).push(row)
  }
  return [{ author: group.author, rows: same }, ...other.map((row) => ({ author: undefined, rows: [row] }))]
}

/** The row whose facts are the model's: the maker's own, else one that says what it is based on, else the first. */
export function leadRow(rows: readonly Row[]): Row {
  return rows.find((row) => row.firstParty) ?? rows.find((row) => row.based) ?? rows[0]!
}
