import { createHash } from 'node:crypto'
import { existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Where bundles are kept: each in a folder that is named after what it was made of. */
export const bundles = new URL('../node_modules/.cache/start/', import.meta.url)
const root = fileURLToPath(new URL('..', import.meta.url))

/** Besides the sources: which packages are installed, how names are resolved, and what makes a bundle of them. */
const besides = [
  'package.json',
  'node_modules/.package-lock.json',
  'bin/bundle.ts',
  'bin/current-bundle.ts',
  'bin/source-changes.ts',
]

/** The name that was last found, and the state of all files at that time. */
const stamp = new URL('stamp.json', bundles)

/** A file that was changed so lately may be changed once more and have the same time: clocks of file systems are coarse. */
const settledMs = 2000

/** The folder of the bundle of these very sources; undefined where there is none. */
export function currentBundle(now = Date.now()): URL | undefined {
  const list = new URL('sources.json', bundles)
  if (!existsSync(list)) return undefined
  try {
    const sources: string[] = JSON.parse(readFileSync(list, 'utf8'))
    const files = stateOf(sources)
    const known = stampedName(files.state)
    const name = known ?? nameOf(sources)
    const folder = new URL(`${name}/`, bundles)
    if (!existsSync(new URL('server.mjs', folder))) return undefined
    // Looked at before they were read: what was changed meanwhile has another state.
    if (known === undefined && now - files.changedMs > settledMs) keepStamp(files.state, name)
    return folder
  } catch {
    return undefined
  }
}

/** @param sources paths below the root. @throws where one of them is gone. */
export const folderFor = (sources: readonly string[]) => new URL(`${nameOf(sources)}/`, bundles)

/** Whether all of them are as they were at an instant: of one that is not, nobody knows what was read. */
export const unchangedSince = (sources: readonly string[], ms: number) => stateOf(sources).changedMs < ms

function nameOf(sources: readonly string[]): string {
  const hash = createHash('sha256').update(`${process.version} ${root}`)
  for (const path of [...besides, ...sources]) {
    const content = readFileSync(root + path)
    hash.update(`\n${path} ${content.length}\n`).update(content)
  }
  return hash.digest('hex').slice(0, 32)
}

/**
 * Tells one state of the files from another without reading them. The time of a change (`ctime`) nobody can set, as one
 * can that of writing (`mtime`).
 */
function stateOf(sources: readonly string[]): { state: string; changedMs: number } {
  let [state, changedMs] = [`${process.version} ${root}`, 0]
  for (const path of [...besides, ...sources]) {
    const { ino, size, ctimeMs } = statSync(root + path)
    state += `\n${path} ${ino} ${size} ${ctimeMs}`
    changedMs = Math.max(changedMs, ctimeMs)
  }
  return { state: createHash('sha256').update(state).digest('hex'), changedMs }
}

function stampedName(state: string): string | undefined {
  try {
    const stamped: { state: string; name: string } = JSON.parse(readFileSync(stamp, 'utf8'))
    return stamped.state === state ? stamped.name : undefined
  } catch {
    return undefined
  }
}

/** Without it the next start reads all files, too. */
function keepStamp(state: string, name: string): void {
  const draft = new URL(`stamp.json.${process.pid}`, bundles)
  try {
    writeFileSync(draft, JSON.stringify({ state, name }))
    renameSync(draft, stamp)
  } catch {
    rmSync(draft, { force: true })
  }
}
