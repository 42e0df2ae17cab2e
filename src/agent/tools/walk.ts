import { basename, join, matchesGlob } from 'node:path'
import { type Entry, entriesOf, isFile, type Workspace } from './workspace.ts'

/** Folders whose content is made by tools: named when met, not walked unless asked for by name. */
const skipped = new Set(['.git', 'node_modules', '.venv', '__pycache__', 'target', '.next', '.cache'])

export type Found = Entry & { path: string; depth: number; skipped: boolean }

/** A glob without a folder is about names, wherever they are. */
export const fits = (path: string, glob: string) =>
  matchesGlob(path, glob) || (!glob.includes('/') && matchesGlob(basename(path), glob))

/** All entries under a folder, depth first and by name, or a file itself. A folder within that cannot be read is passed over. */
export async function* walk(workspace: Workspace, from: string, deepest: number, depth = 1): AsyncGenerator<Found> {
  if (depth === 1 && (await isFile(workspace, from))) {
    yield { name: basename(from), kind: 'file', path: from, depth, skipped: false }
    return
  }
  const entries = depth === 1 ? await entriesOf(workspace, from) : await entriesOf(workspace, from).catch(() => [])
  for (const entry of entries) {
    const path = join(from, entry.name)
    const skip = entry.kind === 'folder' && skipped.has(entry.name)
    yield { ...entry, path, depth, skipped: skip }
    if (entry.kind === 'folder' && !skip && depth < deepest) yield* walk(workspace, path, deepest, depth + 1)
  }
}
