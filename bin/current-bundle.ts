import { createHash } from 'node:crypto'
import { existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The folder of all bundles. Each is in a folder named by the hash of its sources. */
export const bundlesFolder = new URL('../node_modules/.cache/start/', import.meta.url)
const root = fileURLToPath(new URL('..', import.meta.url))

/** Files other than sources that determine a bundle: installed packages, name resolution, and the bundler. */
const otherInputs = [
  'package.json',
  'node_modules/.package-lock.json',
  'bin/bundle.ts',
  'bin/current-bundle.ts',
  'bin/source-changes.ts',
]

/** Caches the last computed name of a bundle, with the state of all files at that time. */
const stampFile = new URL('stamp.json', bundlesFolder)

/** A file changed this recently can change again with the same time, because file system clocks are coarse. */
const settledMs = 2000

/** Returns the folder of the bundle of exactly these sources; undefined if there is none. */
export function currentBundle(now = Date.now()): URL | undefined {
  const sourceList = new URL('sources.json', bundlesFolder)
  if (!existsSync(sourceList)) return undefined
  try {
    const sources: string[] = JSON.parse(readFileSync(sourceList, 'utf8'))
    const files = stateOf(sources)
    const storedName = readStamp(files.state)
    const name = storedName ?? nameOf(sources)
    const folder = new URL(`${name}/`, bundlesFolder)
    if (!existsSync(new URL('server.mjs', folder))) return undefined
    // The state was determined before the files were read, so a file that changed in between has another state.
    if (storedName === undefined && now - files.changedMs > settledMs) writeStamp(files.state, name)
    return folder
  } catch {
    return undefined
  }
}

/** @param sources paths below the root. @throws if one of them is missing. */
export const folderFor = (sources: readonly string[]) => new URL(`${nameOf(sources)}/`, bundlesFolder)

/** Returns whether no source has changed since a time, in milliseconds since the epoch. */
export const unchangedSince = (sources: readonly string[], ms: number) => stateOf(sources).changedMs < ms

function nameOf(sources: readonly string[]): string {
  const hash = createHash('sha256').update(`${process.version} ${root}`)
  for (const path of [...otherInputs, ...sources]) {
    const content = readFileSync(root + path)
    hash.update(`\n${path} ${content.length}\n`).update(content)
  }
  return hash.digest('hex').slice(0, 32)
}

/**
 * Identifies the state of the files without reading them. Uses the change time (`ctime`), which cannot be set, unlike
 * the modification time (`mtime`).
 */
function stateOf(sources: readonly string[]): { state: string; changedMs: number } {
  let state = `${process.version} ${root}`
  let changedMs = 0
  for (const path of [...otherInputs, ...sources]) {
    const { ino, size, ctimeMs } = statSync(root + path)
    state += `\n${path} ${ino} ${size} ${ctimeMs}`
    changedMs = Math.max(changedMs, ctimeMs)
  }
  return { state: createHash('sha256').update(state).digest('hex'), changedMs }
}

/** Returns the stored name; undefined if it was computed from another state of the files. */
function readStamp(state: string): string | undefined {
  try {
    const stored: { state: string; name: string } = JSON.parse(readFileSync(stampFile, 'utf8'))
    return stored.state === state ? stored.name : undefined
  } catch {
    return undefined
  }
}

/** Ignores errors: without the stamp the next start reads all files. */
function writeStamp(state: string, name: string): void {
  const draft = new URL(`stamp.json.${process.pid}`, bundlesFolder)
  try {
    writeFileSync(draft, JSON.stringify({ state, name }))
    renameSync(draft, stampFile)
  } catch {
    rmSync(draft, { force: true })
  }
}
