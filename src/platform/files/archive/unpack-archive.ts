import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { open, symlink } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { createTarDecoder, type ParsedTarEntry } from 'modern-tar'
import { type Body, limitBytes, tooLargeError } from '../bounded-body.ts'
import { makeFolder } from '../change-entries.ts'
import { type ConfinedFolder, locateTarget, makeFolders, withFolder } from '../confined-folder.ts'
import { describeFileError, FileError } from '../file-error.ts'
import { parseRelativePath, requireLevels } from '../relative-path.ts'
import { removeEntry } from '../remove-entry.ts'
import { isTargetInside } from './link-target.ts'
import { mergeFolder } from './merge-folder.ts'
import type { ArchiveLimits } from './pack-folder.ts'
import { requireKnownEntryTypes } from './tar-entry-types.ts'

export type UnpackCounts = { files: number; folders: number; links: number; bytes: number }

type UnpackState = {
  confined: ConfinedFolder
  staging: string
  limits: ArchiveLimits
  counts: UnpackCounts
  createdFolders: number
}

/**
 * Unpacks a tar.gz into a folder, and replaces files of the same names. It is unpacked into a temporary folder first, so that an
 * incomplete archive, or one with forbidden entries, changes nothing.
 */
export async function unpackArchive(
  confined: ConfinedFolder,
  path: string,
  { body, limits }: { body: Body; limits: ArchiveLimits },
): Promise<UnpackCounts> {
  const staging = `.${randomUUID()}.unpacking`
  const counts: UnpackCounts = { files: 0, folders: 0, links: 0, bytes: 0 }
  const state: UnpackState = { confined, staging, limits, counts, createdFolders: 0 }
  await makeFolder(confined, staging)
  try {
    for await (const entry of readEntries(body, limits)) await unpackEntry(state, entry)
    await makeFolder(confined, path)
    const paths = { from: staging, to: relative(confined.root, await locateTarget(confined, path)) }
    await mergeFolder(confined, paths, 'check')
    await mergeFolder(confined, paths, 'move')
    return counts
  } finally {
    await removeEntry(confined, staging, { recursive: true }).catch(() => {})
  }
}

async function* readEntries(body: Body, limits: ArchiveLimits): AsyncGenerator<ParsedTarEntry> {
  const gunzip = createGunzip()
  const source = Readable.from(limitBytes(body, limits.maxBytes))
  source.on('error', (error) => gunzip.destroy(error))
  gunzip.on('close', () => source.destroy())
  // The web stream loses the message of this error.
  let gunzipError: Error | undefined
  gunzip.on('error', (error) => {
    gunzipError ??= error
  })
  source.pipe(gunzip)
  const decoder = createTarDecoder({ strict: true })
  let count = 0
  let contentBytes = 0
  const bounded = boundedMetadata(gunzip, () => contentBytes + count * metadataBytes.perEntry)
  const tar = Readable.from(requireKnownEntryTypes(bounded))
  const entries = Readable.toWeb(tar).pipeThrough(decoder as never) as unknown as AsyncIterable<ParsedTarEntry>
  try {
    for await (const entry of entries) {
      count += 1
      if (count > limits.maxEntries) throw tooManyEntries(limits)
      contentBytes += entry.header.size
      yield entry
    }
  } catch (error) {
    throw toArchiveError(isGunzipError(error) ? (gunzipError ?? error) : error)
  } finally {
    gunzip.destroy()
  }
}

/** The most bytes of an archive in addition to the contents of its files: headers, attributes, padding. */
const metadataBytes = { perEntry: 4096, perArchive: 32 * 1024 ** 2 }

/**
 * Passes an archive on, up to a limit for what is not content. Extended headers (pax), which contain attributes of entries,
 * compress a thousandfold, and no other limit counts those that no entry follows: reading 300 kB of them took 6 s of
 * processor time.
 * @param expected returns the expected size of the entries so far.
 */
async function* boundedMetadata(archive: Body, expected: () => number): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const piece of archive) {
    bytes += piece.length
    if (bytes > expected() + metadataBytes.perArchive)
      throw new FileError(
        'too_large',
        'is too large: its headers, attributes and padding take more than 32 MiB plus 4 KiB for each entry',
      )
    yield piece
  }
}

const tooManyEntries = ({ maxEntries }: ArchiveLimits) =>
  new FileError('too_large', `contains more than ${maxEntries} entries`)

/** Counts created folders, because one entry can create a hundred that the archive does not list. */
function countFolders(state: UnpackState, folders: number): void {
  state.createdFolders += folders
  if (state.createdFolders > state.limits.maxEntries) throw tooManyEntries(state.limits)
}

/** The reason for an error without a message: within an entry, the web stream has lost it. */
const damagedNote = 'its compressed data is damaged'

const isGunzipError = (error: unknown) => (error as NodeJS.ErrnoException).code?.startsWith('Z_') === true

function toArchiveError(error: unknown): unknown {
  const { code, message } = error as NodeJS.ErrnoException
  if (error instanceof FileError) return error
  if (isGunzipError(error))
    return new FileError(
      'invalid',
      `is not a complete tar.gz archive: it cannot be decompressed (${message || damagedNote})`,
    )
  if (code) return error
  return new FileError('invalid', `is not a readable tar archive (${message.replace(/\.$/, '')})`)
}

async function unpackEntry(state: UnpackState, { header, body }: ParsedTarEntry): Promise<void> {
  try {
    const path = parseRelativePath(header.name)
    requireLevels(path)
    if (header.type === 'directory') {
      if (path !== '.') {
        const { made, createdCount } = await makeFolder(state.confined, join(state.staging, path))
        state.counts.folders += Number(made)
        countFolders(state, createdCount)
      }
      return void (await body.cancel())
    }
    if (path === '.') throw new FileError('invalid', 'has no name')
    if (header.type === 'file') await unpackFile(state, path, header, body as unknown as Body)
    else if (header.type === 'symlink') await unpackLink(state, path, header.linkname ?? '')
    else throw new FileError('invalid', refusedTypes[header.type as keyof typeof refusedTypes] ?? 'is not a file')
  } catch (error) {
    throw describeEntryError(header.name, error)
  }
}

const refusedTypes = {
  link: 'is a hard link; create the archive with "tar --hard-dereference"',
  fifo: 'is a pipe, which is not unpacked',
  'character-device': 'is a device, which is not unpacked',
  'block-device': 'is a device, which is not unpacked',
}

/** Describes the error of an entry as an error of the archive. */
function describeEntryError(name: string, error: unknown): unknown {
  // The archive ends within the entry, or cannot be decompressed from there.
  if (isGunzipError(error)) return toArchiveError(error)
  const described = describeFileError(name.length > 200 ? `${name.slice(0, 200)}…` : name, toArchiveError(error))
  if (!(described instanceof FileError)) return described
  return new FileError(described.kind, `contains a refused entry: ${described.message.replace(/\.$/, '')}`, {
    cause: error,
  })
}

type FileHeader = { size: number; mode?: number | undefined; mtime?: Date | undefined }

async function unpackFile(state: UnpackState, path: string, header: FileHeader, body: Body): Promise<void> {
  const { confined, limits, counts } = state
  const remainingBytes = limits.maxBytes - counts.bytes
  if (header.size > remainingBytes) throw tooLargeError(limits.maxBytes)
  await withParent(state, path, async (folder, name) => {
    // The last one of two entries with the same name applies.
    await removeEntry(confined, join(state.staging, path), { recursive: false }).catch(() => {})
    const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants
    await using file = await open(join(folder, name), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
    for await (const piece of limitBytes(body, remainingBytes)) await file.writeFile(piece)
    await file.chmod(((header.mode ?? 0) & 0o111) === 0 ? 0o644 : 0o755)
    const { mtime } = header
    if (mtime && mtime.getTime() > 0) await file.utimes(mtime, mtime).catch(() => {})
  })
  counts.files += 1
  counts.bytes += header.size
}

async function unpackLink(state: UnpackState, path: string, target: string): Promise<void> {
  await withParent(state, path, async (folder, name, folderInArchive) => {
    if (!isTargetInside(folderInArchive, target))
      throw new FileError('outside', 'is a link that leads out of the archive')
    await removeEntry(state.confined, join(state.staging, path), { recursive: false }).catch(() => {})
    await symlink(target, join(folder, name))
  })
  state.counts.links += 1
}

/** Calls `act` with the folder of an entry, which is created if missing. Links of the archive are followed only within it. */
async function withParent(
  state: UnpackState,
  path: string,
  act: (folder: string, name: string, folderInArchive: string) => Promise<void>,
): Promise<void> {
  const { confined, staging } = state
  const parent = await locateTarget(confined, join(staging, dirname(path)))
  countFolders(state, await makeFolders(confined, parent))
  const folderInArchive = relative(join(confined.root, staging), parent)
  if (folderInArchive.startsWith('..')) throw new FileError('outside', 'is behind a link that leads out of the archive')
  await withFolder(confined, parent, (folder) => act(folder, basename(path), folderInArchive))
}
