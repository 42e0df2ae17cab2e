import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { runTests } from './run-tests.ts'

/** What a file of tests runs of the sources, and how long it takes. */
export type Coverage = {
  test: string
  ms: number
  passed: boolean
  covers: (file: string, offset: number) => boolean
  /** How much of a file it runs, from 0 to 1. */
  share: (file: string) => number
}

type Range = { startOffset: number; endOffset: number; count: number }
type Report = { result: { url: string; functions: { ranges: Range[] }[] }[] }

/** Types are replaced by blanks when Node runs a file, so that what V8 counts stands where the source says it. */
export async function coverageOf(root: string, test: string, sources: Map<string, string>): Promise<Coverage> {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-coverage-'))
  const startedAt = performance.now()
  const passed = await runTests(root, [test], { timeoutMs: 300_000, env: { NODE_V8_COVERAGE: folder } })
  const ms = performance.now() - startedAt
  const seen = new Map<string, Uint8Array>()
  for (const name of readdirSync(folder)) addReport(seen, root, sources, join(folder, name))
  rmSync(folder, { recursive: true })
  const shares = new Map([...seen].map(([file, ran]) => [file, ran.reduce((sum, one) => sum + one, 0) / ran.length]))
  return {
    ...{ test, ms, passed },
    covers: (file, offset) => seen.get(file)?.[offset] === 1,
    share: (file) => shares.get(file) ?? 0,
  }
}

function addReport(seen: Map<string, Uint8Array>, root: string, sources: Map<string, string>, path: string): void {
  const prefix = `${pathToFileURL(root).href}/`
  for (const { url, functions } of readReport(path).result) {
    const file = url.startsWith(prefix) ? url.slice(prefix.length) : ''
    const source = sources.get(file)
    if (source === undefined) continue
    const ran = new Uint8Array(source.length)
    // Outer ranges first: an inner one says more exactly what was run.
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
