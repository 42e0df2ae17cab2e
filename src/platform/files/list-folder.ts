import { isUtf8 } from 'node:buffer'
import type { Stats } from 'node:fs'
import { lstat, opendir, readlink } from 'node:fs/promises'
import { type ConfinedFolder, entryPath, locateTarget, withFolder } from './confined-folder.ts'

type EntryKind = 'file' | 'folder' | 'link' | 'other'

type FileEntry = {
  /** Bytes that are not UTF-8 are replaced by U+FFFD. */
  name: string
  /** Whether `name` is the exact name, so that it can be requested. */
  isNameValid: boolean
  kind: EntryKind
  size: number
  /** Milliseconds since the epoch. */
  modifiedAt: number
  isExecutable: boolean
  /** The target of a link, unresolved. */
  target: string | null
}

/** `after` is `next` of the previous page. */
type ListPage = { limit: number; after?: string | undefined }

/** Lists the entries of a folder in the order of their bytes. Only one page is held in memory. */
export async function listFolder(
  confined: ConfinedFolder,
  path: string,
  { limit, after }: ListPage,
): Promise<{ entries: FileEntry[]; next?: string }> {
  const target = await locateTarget(confined, path)
  return withFolder(confined, target, async (folder) => {
    const names = await findFirstNames(
      folder,
      limit + 1,
      after === undefined ? undefined : Buffer.from(after, 'base64url'),
    )
    const page = names.slice(0, limit)
    const entries = await Promise.all(page.map((name) => readEntry(folder, name)))
    // Entries that were deleted meanwhile are undefined.
    const existing = entries.filter((entry) => entry !== undefined)
    const last = page.at(-1)
    if (names.length <= limit || !last) return { entries: existing }
    return { entries: existing, next: last.toString('base64url') }
  })
}

/** The names of a folder's entries as bytes. */
export async function* readNames(folder: string): AsyncGenerator<Buffer> {
  // The type of the option lacks this value.
  const entries = await opendir(folder, { encoding: 'buffer' as BufferEncoding })
  for await (const { name } of entries) yield name as unknown as Buffer
}

/** Returns the first names after `after`, at most `count`, sorted by their bytes. */
async function findFirstNames(folder: string, count: number, after: Buffer | undefined): Promise<Buffer[]> {
  const firstNames: Buffer[] = []
  for await (const name of readNames(folder)) {
    if (after && Buffer.compare(name, after) <= 0) continue
    if (firstNames.length === count && Buffer.compare(name, firstNames[count - 1]!) > 0) continue
    firstNames.splice(insertionIndex(firstNames, name), 0, name)
    if (firstNames.length > count) firstNames.pop()
  }
  return firstNames
}

function insertionIndex(sorted: Buffer[], name: Buffer): number {
  let [from, to] = [0, sorted.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if (Buffer.compare(sorted[middle]!, name) < 0) from = middle + 1
    else to = middle
  }
  return from
}

async function readEntry(folder: string, name: Buffer): Promise<FileEntry | undefined> {
  const path = entryPath(folder, name)
  const stats = await lstat(path).catch(() => undefined)
  if (!stats) return undefined
  const kind = entryKind(stats)
  return {
    name: name.toString(),
    isNameValid: isUtf8(name),
    kind,
    size: stats.size,
    modifiedAt: Math.round(stats.mtimeMs),
    isExecutable: kind === 'file' && (stats.mode & 0o100) !== 0,
    target: kind === 'link' ? await readlink(path).catch(() => null) : null,
  }
}

export function entryKind(found: Pick<Stats, 'isFile' | 'isDirectory' | 'isSymbolicLink'>): EntryKind {
  if (found.isFile()) return 'file'
  if (found.isDirectory()) return 'folder'
  return found.isSymbolicLink() ? 'link' : 'other'
}
