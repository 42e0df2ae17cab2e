import type { FileHandle } from 'node:fs/promises'
import { type ConfinedFolder, openFile, openWithoutHardLinks } from './confined-folder.ts'
import { FileError } from './file-error.ts'

/** A range from the first byte to the last, or the last `suffix` bytes. */
export type ByteRange = { first: number; last?: number | undefined } | { suffix: number }

type FilePart = {
  /** The size of the whole file. */
  size: number
  modifiedAt: number
  /** The ETag of the file. Changes when the file is replaced or written. */
  tag: string
  /** The range of the body, with an exclusive end. Undefined without a requested range. */
  part: { from: number; to: number } | undefined
  body: AsyncIterable<Buffer>
}

/** With `ifRangeTag`, the range applies only if the file still has this ETag; otherwise the whole file is read. */
type PartSelection = { range?: ByteRange | undefined; ifRangeTag?: string | undefined }

const pieceBytes = 256 * 1024

/** Reads a part of a regular file. The file stays open until the body was read or its iteration ends. */
export async function readPart(confined: ConfinedFolder, path: string, selection: PartSelection): Promise<FilePart> {
  const file = await openFile(confined, path, openWithoutHardLinks)
  try {
    const stats = await file.stat({ bigint: true })
    const size = Number(stats.size)
    const tag = [stats.ino, stats.size, stats.mtimeNs].map((figure) => figure.toString(36)).join('-')
    const range = selection.ifRangeTag === undefined || selection.ifRangeTag === tag ? selection.range : undefined
    const part = range && resolveRange(range, size)
    const { from, to } = part ?? { from: 0, to: size }
    return { size, modifiedAt: Number(stats.mtimeMs), tag, part, body: readBytes(file, from, to) }
  } catch (error) {
    await file.close()
    throw error
  }
}

/** @throws FileError `range` if the file has none of these bytes. */
function resolveRange(range: ByteRange, size: number): { from: number; to: number } {
  const from = 'suffix' in range ? Math.max(0, size - range.suffix) : range.first
  const to = 'suffix' in range ? size : Math.min(size, (range.last ?? size) + 1)
  if (from < to) return { from, to }
  throw new FileError('range', `has ${size} bytes, and none in the requested range`)
}

async function* readBytes(file: FileHandle, from: number, to: number): AsyncGenerator<Buffer> {
  try {
    for (let at = from; at < to; ) {
      const piece = Buffer.allocUnsafe(Math.min(pieceBytes, to - at))
      const { bytesRead } = await file.read(piece, 0, piece.length, at)
      if (bytesRead === 0) throw new FileError('conflict', 'became shorter while it was read')
      yield piece.subarray(0, bytesRead)
      at += bytesRead
    }
  } finally {
    await file.close()
  }
}
