import { isUtf8 } from 'node:buffer'
import { lstat, opendir, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { createTarPacker, type TarHeader } from 'modern-tar'
import { type ConfinedFolder, entryPath, locateTarget, openWithoutHardLinks, withFolder } from '../confined-folder.ts'
import { entryKind, readNames } from '../list-folder.ts'
import { requireLevels } from '../relative-path.ts'
import { isTargetInside } from './link-target.ts'
import { SkippedEntries } from './skipped-entries.ts'

export type ArchiveLimits = { maxBytes: number; maxEntries: number }

const pieceBytes = 256 * 1024

type PackState = {
  confined: ConfinedFolder
  /** The real path of the packed folder. */
  root: string
  add: (header: TarHeader) => WritableStream<Uint8Array>
  skipped: SkippedEntries
  limits: ArchiveLimits
  bytes: number
  entries: number
  signal: AbortSignal
  /** Why the archive broke off within a file. */
  failure?: Error
}

/**
 * Packs a folder as tar.gz. Entries that cannot be packed are skipped, and listed in a last file, or reported to `onSkipped`.
 * @throws FileError before the first byte if it is not a folder.
 */
export async function packFolder(
  confined: ConfinedFolder,
  path: string,
  limits: ArchiveLimits,
  onSkipped?: (list: string) => void,
): Promise<AsyncIterable<Buffer>> {
  const root = await locateTarget(confined, path)
  await withFolder(confined, root, async (folder) => (await opendir(folder)).close())
  const { readable, controller } = createTarPacker()
  const stopping = new AbortController()
  const gzip = createGzip()
  // If packing fails, the reader receives the error as that of `gzip`. If the reader leaves, packing stops.
  pipeline(Readable.fromWeb(readable as never), gzip).catch((error) => {
    stopping.abort()
    gzip.destroy(error)
  })
  const state: PackState = {
    confined,
    root,
    limits,
    add: (header) => controller.add(header),
    skipped: new SkippedEntries(),
    bytes: 0,
    entries: 0,
    signal: stopping.signal,
  }
  packAll(state, onSkipped).then(
    () => controller.finalize(),
    (error) => controller.error(error),
  )
  return gzip
}

async function packAll(state: PackState, onSkipped: ((list: string) => void) | undefined): Promise<void> {
  const { root, confined, skipped, signal } = state
  const folders = ['']
  for (let path = folders.pop(); path !== undefined; path = folders.pop()) {
    const current = path
    signal.throwIfAborted()
    try {
      if (current !== '') await addWithoutBody(state, { name: `${current}/`, type: 'directory', mode: 0o755 })
      const subfolders = await withFolder(confined, join(root, current), (openedFolder) =>
        packEntries(state, current, openedFolder),
      )
      folders.push(...subfolders)
    } catch (error) {
      if (signal.aborted || current === '') throw error
      skipped.add(current, error)
    }
  }
  const list = skipped.text()
  if (list && onSkipped) onSkipped(list.toString())
  else if (list) await addFile(state, { name: SkippedEntries.fileName, size: list.length }, [list])
}

/** @returns the subfolders in reverse order, because the caller takes the last one first. */
async function packEntries(state: PackState, path: string, openedFolder: string): Promise<string[]> {
  const folders: string[] = []
  for await (const bytes of readNames(openedFolder)) {
    state.signal.throwIfAborted()
    const name = join(path, bytes.toString())
    try {
      if (!isUtf8(bytes)) throw new Error('has a name that is not valid UTF-8')
      requireLevels(name)
      state.entries += 1
      if (state.entries > state.limits.maxEntries) {
        throw new Error(`exceeds the limit of ${state.limits.maxEntries} entries of an archive`)
      }
      const kind = entryKind(await lstat(entryPath(openedFolder, bytes)))
      if (kind === 'folder') folders.push(name)
      else if (kind === 'file') await packFile(state, name, entryPath(openedFolder, bytes))
      else if (kind === 'link') await packLink(state, path, name, entryPath(openedFolder, bytes))
      else throw new Error('is not a file, folder or link')
    } catch (error) {
      // After a failure within a file, the archive has an incomplete entry.
      if (state.signal.aborted || error === state.failure) throw error
      state.skipped.add(name, error)
    }
  }
  return folders.sort().reverse()
}

async function packFile(state: PackState, name: string, path: Buffer): Promise<void> {
  await using file = await openWithoutHardLinks(path)
  const stats = await file.stat()
  const remainingBytes = state.limits.maxBytes - state.bytes
  if (stats.size > remainingBytes)
    throw new Error(`has ${stats.size} bytes, more than the remaining ${remainingBytes} of the archive`)
  state.bytes += stats.size
  const header = { name, size: stats.size, mode: stats.mode & 0o777, mtime: stats.mtime }
  await addFile(
    state,
    header,
    exactBytes(state, name, file.createReadStream({ highWaterMark: pieceBytes }), stats.size),
  )
}

/** Yields exactly `size` bytes: truncates a file that grew, zero-pads one that shrank, and reports it. */
async function* exactBytes(state: PackState, name: string, pieces: AsyncIterable<Buffer>, size: number) {
  let missingBytes = size
  for await (const piece of pieces) {
    const part = piece.subarray(0, missingBytes)
    missingBytes -= part.length
    if (part.length > 0) yield part
    if (missingBytes === 0) return
  }
  if (missingBytes === 0) return
  state.skipped.add(name, new Error('became shorter while it was read: its end is filled with zeros'))
  for (; missingBytes > 0; missingBytes -= Math.min(missingBytes, pieceBytes))
    yield Buffer.alloc(Math.min(missingBytes, pieceBytes))
}

async function packLink(state: PackState, folder: string, name: string, path: Buffer): Promise<void> {
  const target = await readlink(path)
  if (!isTargetInside(folder, target)) throw new Error('is a link that leads out of the packed folder')
  await addWithoutBody(state, { name, type: 'symlink', linkname: target })
}

type HeaderFields = Partial<TarHeader> & { name: string }

async function addFile(
  state: PackState,
  header: HeaderFields & { size: number },
  pieces: Iterable<Buffer> | AsyncIterable<Buffer>,
) {
  const writer = state.add(header as TarHeader).getWriter()
  try {
    for await (const piece of pieces) await writer.write(piece)
    await writer.close()
  } catch (error) {
    state.failure = new Error(`The archive broke off at ${header.name}.`, { cause: error })
    throw state.failure
  }
}

async function addWithoutBody({ add }: PackState, header: HeaderFields): Promise<void> {
  await add({ size: 0, ...header } as TarHeader).close()
}
