import { dayMs } from '#platform/core/clock.ts'
import type { Row } from './row.ts'

/** All entries for one model. A group without a known author has one entry. */
export type Group = { author: string | undefined; rows: Row[] }

/** A release date can be a month, which counts as its first day. */
const sameReleaseMs = 31 * dayMs

/** Groups entries by author, name and variant. */
export function groupRows(rows: readonly Row[]): Group[] {
  const authors = findSoleAuthors(rows)
  const groups = new Map<string, Group>()
  const unknown: Group[] = []
  for (const row of rows) {
    const author = resolveAuthor(row, authors)
    if (!author) {
      unknown.push({ author, rows: [row] })
      continue
    }
    const name = `${author}/${row.key}:${row.variant ?? ''}`
    const group = groups.get(name)
    if (group) group.rows.push(row)
    else groups.set(name, { author, rows: [row] })
  }
  return [...[...groups.values()].flatMap(splitByRelease).flatMap(splitByOutput), ...unknown]
}

/** Returns the original author of a model, also for a quantized copy by somebody else. */
function resolveAuthor(row: Row, authors: Map<string, string | undefined>): string | undefined {
  const sole = row.hasUnknownPrefix ? undefined : authors.get(row.key)
  return row.quantization && sole ? sole : (row.author ?? sole)
}

/** Maps keys to authors; undefined if the rows disagree. Quantized copies count only without an original. */
function findSoleAuthors(rows: readonly Row[]): Map<string, string | undefined> {
  const authors = new Map<string, string | undefined>()
  const originals = new Set(rows.filter((row) => row.author && !row.quantization).map((row) => row.key))
  for (const { key, author, quantization } of rows) {
    if (!author || (quantization && originals.has(key))) continue
    const isDisputed = authors.has(key) && authors.get(key) !== author
    authors.set(key, isDisputed ? undefined : author)
  }
  return authors
}

/**
 * Splits a group by the dates in the names. Names with and without a date are the same release only if there is one date,
 * near the release date: `gpt-4o` has had three dates, `claude-opus-4-1` is always `claude-opus-4-1-20250805`.
 */
function splitByRelease(group: Group): Group[] {
  const rowsByDate = Map.groupBy(group.rows, (row) => row.date)
  const undated = rowsByDate.get(undefined)
  const [date, second] = [...rowsByDate.keys()].filter((key) => key !== undefined)
  if (!date || (undated && !second && isReleasedNear(undated, date))) return [group]
  return [...rowsByDate.values()].map((rows) => ({ author: group.author, rows }))
}

function isReleasedNear(undated: Row[], date: string): boolean {
  return Math.abs(Date.parse(findLeadRow(undated).model.release_date) - Date.parse(date)) <= sameReleaseMs
}

/**
 * Separates image and text models of the same name. Models with the output of the lead row keep the author. The others lose it,
 * so that `identify` names them after their provider.
 */
function splitByOutput(group: Group): Group[] {
  const lead = findLeadRow(group.rows)
  const hasSameOutput = (row: Row) =>
    row.model.modalities.output.some((kind) => lead.model.modalities.output.includes(kind))
  const groups: Group[] = [{ author: group.author, rows: group.rows.filter(hasSameOutput) }]
  for (const row of group.rows) if (!hasSameOutput(row)) groups.push({ author: undefined, rows: [row] })
  return groups
}

/** Returns the row with the facts of the model: that of the author, or else one with a base model, or else the first. */
export function findLeadRow(rows: readonly Row[]): Row {
  return rows.find((row) => row.isServedByAuthor) ?? rows.find((row) => row.hasMatchingBase) ?? rows[0]!
}
