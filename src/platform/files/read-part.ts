import type { FileHandle } from 'node:fs/promises'
import { type ConfinedFolder, openAlone, openFile } from './confined-folder.ts'
import { FileError } from './file-error.ts'

/** From the first byte to the last, or the last `suffix` bytes. */
export type ByteRange = { first: number; last?: number | undefined } | { suffix: number }

export type FilePart = {
  /** Of the whole file. */
  size: number
  modifiedAt: number
  /** Another one when the file is another, or was written to. */
  tag: string
  /** The bytes that follow: from the first up to before the end. Undefined where no range was asked for. */
  part: { from: number; to: number } | undefined
  body: AsyncIterable<Buffer>
}

/** A range is about the file with a certain tag: of another one, all is wanted. */
export type WantedPart = { range?: ByteRange | undefined; ifTag?: string | undefined }

const pieceBytes = 256 * 1024

/** Bytes of a regular file. The file stays open until they have been taken, or left. */
export async function readPart(confined: ConfinedFolder, path: string, wanted: WantedPart): Promise<FilePart> {
  const file = await openFile(confined, path, openAlone)
  try {
    const found = await file.stat({ bigint: true })
    const size = Number(found.size)
    const tag = [found.ino, found.size, found.mtimeNs].map((figure) => figure.toString(36)).join('-')
    const range = wanted.ifTag === undefined || wanted.ifTag === tag ? wanted.range : undefined
    const part = range && partOf(range, size)
    const { from, to } = part ?? { from: 0, to: size }
    return { size, modifiedAt: Number(found.mtimeMs), tag, part, body: bytesOf(file, from, to) }
  } catch (error) {
    await file.close()
    throw error
  }
}

/** @throws FileError `range` where the file has none of these bytes. */
function partOf(range: ByteRange, size: number): { from: number; to: number } {
  const from = 'suffix' in range ? Math.max(0, size - range.suffix) : range.first
  const to = 'suffix' in range ? size : Math.min(size, (range.last ?? size) + 1)
  if (from < to) return { from, to }
  throw new FileError('range', `has ${size} bytes: there are none at the place that was asked for`)
}

async function* bytesOf(file: FileHandle, from: number, to: number): AsyncGenerator<Buffer> {
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
