import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { runTests } from './run-tests.ts'

/** The parts of each source that were run: start and end of each part, in order. */
export type Ran = Record<string, number[]>

/** The parts of the sources that a test file runs, and its duration. */
export type Coverage = { test: string; ms: number; passed: boolean; ran: Ran }

type Range = { startOffset: number; endOffset: number; count: number }
type Report = { result: { url: string; functions: { ranges: Range[] }[] }[] }

/** Node replaces types by blanks, so the offsets of V8 coverage are those of the source. */
export async function coverageOf(root: string, test: string, sources: Map<string, string>): Promise<Coverage> {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-coverage-'))
  const startedAt = performance.now()
  const failed = await runTests(root, [test], { timeoutMs: 300_000, env: { NODE_V8_COVERAGE: folder }, stops: false })
  const ms = performance.now() - startedAt
  const seen = new Map<string, Uint8Array>()
  for (const name of readdirSync(folder)) addReport(seen, root, sources, join(folder, name))
  rmSync(folder, { recursive: true })
  const ran = Object.fromEntries([...seen].map(([file, each]) => [file, piecesOf(each)]))
  return { test, ms, passed: failed === undefined, ran }
}

export function covers({ ran }: Coverage, file: string, offset: number): boolean {
  const pieces = ran[file] ?? []
  return pieces.some((start, at) => at % 2 === 0 && start <= offset && offset < pieces[at + 1]!)
}

/** How many characters of a source it runs. */
export function sizeOf({ ran }: Coverage, file: string): number {
  return (ran[file] ?? []).reduce((sum, place, at) => (at % 2 === 0 ? sum - place : sum + place), 0)
}

function piecesOf(ran: Uint8Array): number[] {
  const pieces: number[] = []
  for (const [at, value] of ran.entries()) if (value !== (ran[at - 1] ?? 0)) pieces.push(at)
  return pieces.length % 2 === 0 ? pieces : [...pieces, ran.length]
}

function addReport(seen: Map<string, Uint8Array>, root: string, sources: Map<string, string>, path: string): void {
  const prefix = `${pathToFileURL(root).href}/`
  for (const { url, functions } of readReport(path).result) {
    const file = url.startsWith(prefix) ? url.slice(prefix.length) : ''
    const source = sources.get(file)
    if (source === undefined) continue
    const ran = new Uint8Array(source.length)
    // Outer ranges first: inner ranges are more exact.
    const ranges = functions.flatMap((each) => each.ranges)
    ranges.sort((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset)
    for (const { startOffset, endOffset, count } of ranges) ran.fill(Number(count > 0), startOffset, endOffset)
    const all = seen.getOrInsertComputed(file, () => new Uint8Array(source.length))
    for (const [at, value] of ran.entries()) if (value) all[at] = 1
  }
}

/** A process that was killed may have left half a report. */
function readReport(path: string): Report {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return { result: [] }
  }
}
