import type { Hunk } from './parse-patch.ts'

/** @returns the text with all hunks. @throws Error that says of each hunk that does not fit why, without naming the file. */
export function applyHunks(text: string, hunks: Hunk[]): string {
  const lineEnd = text.includes('\r\n') && !/[^\r]\n/.test(text) ? '\r\n' : '\n'
  const lines = text.split(lineEnd)
  const wrong: string[] = []
  let from = 0
  for (const [index, hunk] of hunks.entries()) {
    const place = placeOf(lines, hunk, from)
    if (typeof place === 'string') {
      wrong.push(`hunk ${index + 1} of ${hunks.length}: ${place}`)
      continue
    }
    lines.splice(place, hunk.before.length, ...kept(lines.slice(place, place + hunk.before.length), hunk))
    from = place + hunk.after.length
  }
  if (wrong.length > 0) throw new Error(`is not as the patch has it: ${wrong.join('; ')}`)
  return lines.join(lineEnd)
}

/** Lines that only stand around the change stay as they are in the file, spaces at their ends included. */
function kept(there: string[], { before, after }: Hunk): string[] {
  let at = 0
  return after.map((line) => {
    const found = before.indexOf(line, at)
    if (found === -1) return line
    at = found + 1
    return there[found] ?? line
  })
}

function placeOf(lines: string[], { under, before }: Hunk, from: number): number | string {
  const start = under === undefined ? from : lineAfter(lines, under, from)
  if (start === undefined) return `no line from ${from + 1} on is ${shown(under ?? '')}, which its "@@" names`
  if (before.length === 0) return under === undefined ? endOf(lines) : start
  for (const same of [exactly, butForSpaces]) {
    const places = placesWith(lines, before, start, same)
    if (places.length === 1 || (places.length > 0 && under !== undefined)) return places[0]!
    if (places.length > 1)
      return `its lines stand at lines ${places
        .slice(0, 10)
        .map((at) => at + 1)
        .join(', ')}: give more lines around them, or name a line above after "@@"`
  }
  return nearest(lines, before, start)
}

const exactly = (one: string, other: string) => one === other
const butForSpaces = (one: string, other: string) => one.trimEnd() === other.trimEnd()

function placesWith(lines: string[], before: string[], from: number, same: typeof exactly): number[] {
  const places: number[] = []
  for (let at = from; at + before.length <= lines.length; at++)
    if (before.every((line, index) => same(line, lines[at + index]!))) places.push(at)
  return places
}

function lineAfter(lines: string[], wanted: string, from: number): number | undefined {
  const found = lines.findIndex((line, index) => index >= from && line.trim() === wanted)
  const like = found === -1 ? lines.findIndex((line, index) => index >= from && line.includes(wanted)) : found
  return like === -1 ? undefined : like + 1
}

/** Before the empty rest behind the last line end. */
const endOf = (lines: string[]) => (lines.at(-1) === '' ? lines.length - 1 : lines.length)

/** Where most of the lines stand, and what is other there: the usual mistake is in one line. */
function nearest(lines: string[], before: string[], from: number): string {
  let best = { at: -1, fits: 0 }
  for (let at = from; at < lines.length; at++) {
    const fits = before.filter(
      (line, index) => bare(line) !== '' && bare(line) === bare(lines[at + index] ?? ''),
    ).length
    if (fits > best.fits) best = { at, fits }
  }
  const where = from > 0 ? ` from line ${from + 1} on` : ''
  if (best.at === -1) return `its lines, the first ${shown(before[0]!)}, are not in the file${where}: read it again`
  const index = before.findIndex((line, offset) => line.trimEnd() !== (lines[best.at + offset] ?? '').trimEnd())
  const there = lines[best.at + index]
  return `line ${best.at + index + 1} is ${there === undefined ? 'behind the end of the file' : shown(there)}, the patch has ${shown(before[index]!)}: read the file again`
}

const bare = (line: string) => line.replace(/\s+/g, ' ').trim()
const shown = (line: string) => JSON.stringify(line.length > 120 ? `${line.slice(0, 120)}…` : line)
