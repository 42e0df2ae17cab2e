import { isUtf8 } from 'node:buffer'
import { lstat, opendir, readlink } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { createTarPacker, type TarHeader } from 'modern-tar'
import { type ConfinedFolder, inFolder, locate, openAlone, within } from './confined-folder.ts'
import { LeftOut } from './left-out.ts'
import { staysBelow } from './link-target.ts'
import { kindOf, namesIn } from './list-folder.ts'
import { requireLevels } from './relative-path.ts'

export type ArchiveLimits = { maxBytes: number; maxEntries: number }

const pieceBytes = 256 * 1024

type Packing = {
  confined: ConfinedFolder
  /** The real path of what is packed. */
  root: string
  add: (header: TarHeader) => WritableStream<Uint8Array>
  leftOut: LeftOut
  limits: ArchiveLimits
  bytes: number
  entries: number
  signal: AbortSignal
}

/**
 * A folder as tar.gz, its files as they are when their turn comes. What may not or cannot be packed is left out and said
 * to be so in a last file, or to `tell`. @throws FileError before there is anything, when it is no folder.
 */
export async function packFolder(
  confined: ConfinedFolder,
  path: string,
  limits: ArchiveLimits,
  tell?: (leftOut: string) => void,
): Promise<AsyncIterable<Buffer>> {
  const root = await locate(confined, path)
  await inFolder(confined, root, async (folder) => (await opendir(folder)).close())
  const { readable, controller } = createTarPacker()
  const left = new AbortController()
  const gzip = createGzip()
  // Whoever reads the archive hears of a failure, and that is enough.
  pipeline(Readable.fromWeb(readable as never), gzip).catch((error) => {
    left.abort()
    gzip.destroy(error)
  })
  const packing: Packing = {
    ...{ confined, root, limits, add: (header) => controller.add(header), leftOut: new LeftOut() },
    ...{ bytes: 0, entries: 0, signal: left.signal },
  }
  packAll(packing, tell).then(
    () => controller.finalize(),
    (error) => controller.error(error),
  )
  return gzip
}

async function packAll(packing: Packing, tell: ((leftOut: string) => void) | undefined): Promise<void> {
  const { root, confined, leftOut, signal } = packing
  const folders = ['']
  for (let path = folders.pop(); path !== undefined; path = folders.pop()) {
    const current = path
    signal.throwIfAborted()
    try {
      if (current !== '') await addBodyless(packing, { name: `${current}/`, type: 'directory', mode: 0o755 })
      folders.push(...(await inFolder(confined, join(root, current), (held) => packEntries(packing, current, held))))
    } catch (error) {
      if (signal.aborted || current === '') throw error
      leftOut.add(current, error)
    }
  }
  const told = leftOut.text()
  if (told && tell) tell(told.toString())
  else if (told) await addFile(packing, { name: LeftOut.fileName, size: told.length }, [told])
}

/** @returns the folders in it. */
async function packEntries(packing: Packing, path: string, held: string): Promise<string[]> {
  const folders: string[] = []
  for await (const bytes of namesIn(held)) {
    packing.signal.throwIfAborted()
    const name = join(path, bytes.toString())
    try {
      if (!isUtf8(bytes)) throw new Error('has a name that is not valid UTF-8')
      requireLevels(name)
      packing.entries += 1
      if (packing.entries > packing.limits.maxEntries) {
        throw new Error(`is behind the ${packing.limits.maxEntries} entries that one archive may hold`)
      }
      const kind = kindOf(await lstat(within(held, bytes)))
      if (kind === 'folder') folders.push(name)
      else if (kind === 'file') await packFile(packing, name, within(held, bytes))
      else if (kind === 'link') await packLink(packing, path, name, within(held, bytes))
      else throw new Error('is no file, folder or link')
    } catch (error) {
      // A file that broke off in the middle has left half an entry behind.
      if (packing.signal.aborted || error instanceof Broken) throw error
      packing.leftOut.add(name, error)
    }
  }
  return folders.sort().reverse()
}

async function packFile(packing: Packing, name: string, path: Buffer): Promise<void> {
  await using file = await openAlone(path)
  const found = await file.stat()
  const room = packing.limits.maxBytes - packing.bytes
  if (found.size > room) throw new Error(`has ${found.size} bytes, more than the ${room} that fit into the archive`)
  packing.bytes += found.size
  const header = { name, size: found.size, mode: found.mode & 0o777, mtime: found.mtime }
  await addFile(
    packing,
    header,
    exactly(packing, name, file.createReadStream({ highWaterMark: pieceBytes }), found.size),
  )
}

/** As many bytes as the header says: what has grown is cut, and what became shorter is filled up and told. */
async function* exactly(packing: Packing, name: string, pieces: AsyncIterable<Buffer>, size: number) {
  let missing = size
  for await (const piece of pieces) {
    const wanted = piece.subarray(0, missing)
    missing -= wanted.length
    if (wanted.length > 0) yield wanted
    if (missing === 0) return
  }
  if (missing === 0) return
  packing.leftOut.add(name, new Error('became shorter while it was read: its end is filled with zeros'))
  for (; missing > 0; missing -= Math.min(missing, pieceBytes)) yield Buffer.alloc(Math.min(missing, pieceBytes))
}

async function packLink(packing: Packing, folder: string, name: string, path: Buffer): Promise<void> {
  const target = await readlink(path)
  const inRoot = relative(packing.root, join(packing.root, folder))
  if (!staysBelow(inRoot, target)) throw new Error('is a link that leads out of what is packed')
  await addBodyless(packing, { name, type: 'symlink', linkname: target })
}

class Broken extends Error {}

type Headed = Partial<TarHeader> & { name: string }

async function addFile(
  { add }: Packing,
  header: Headed & { size: number },
  pieces: Iterable<Buffer> | AsyncIterable<Buffer>,
) {
  const writer = add(header as TarHeader).getWriter()
  try {
    for await (const piece of pieces) await writer.write(piece)
    await writer.close()
  } catch (error) {
    throw new Broken(`The archive broke off at ${header.name}.`, { cause: error })
  }
}

async function addBodyless({ add }: Packing, header: Headed): Promise<void> {
  await add({ size: 0, ...header } as TarHeader).close()
}
