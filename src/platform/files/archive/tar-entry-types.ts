import type { Body } from '../bounded-body.ts'
import { FileError } from '../file-error.ts'

// The format of POSIX (ustar): an archive consists of blocks. An entry is one block of header, and then its content.
const blockBytes = 512
/** The positions of fields in a header. The size has 12 bytes. */
const [nameEnd, sizeAt, sizeEnd, typeAt] = [100, 124, 136, 156]
const emptyBlock = Buffer.alloc(blockBytes)
/** The decoder refuses longer attributes. */
const maxAttributeBytes = 8 * 1024 ** 2

/** The types of entries that the decoder of tar archives understands. It reads all others as ordinary files. */
const knownTypes = new Set(['\0', ...'01234567xgLK'])
/** Links, devices, folders and pipes. The decoder ignores their size. */
const typesWithoutContent = new Set('123456')
/** Why these types are refused, and how to avoid them. */
const refusalReasons: Record<string, string> = {
  S: 'is a sparse file; create the archive without "tar --sparse"',
  M: 'continues a file of another volume; create the archive without "tar --multi-volume"',
}
const sparseAttribute = /(?:^|\n)\d+ GNU\.sparse\./
const sizeAttribute = /(?:^|\n)\d+ size=(\d+)\n/

/**
 * Passes a tar archive on, and rejects it at an entry whose content is not that of a file. The decoder would write, for
 * example, the list of holes of a sparse file into the file.
 * @throws FileError `invalid`.
 */
export async function* requireKnownEntryTypes(archive: Body): AsyncGenerator<Uint8Array> {
  const scanner = new EntryTypeScanner()
  for await (const piece of archive) {
    scanner.read(piece)
    yield piece
  }
}

/** Finds the headers of an archive. The decoder refuses an archive in which it cannot find them. */
class EntryTypeScanner {
  /** The bytes of the current header or of the attributes of the next entry. */
  #collected: Buffer[] = []
  #missingBytes = blockBytes
  #skippedBytes = 0
  #readsAttributes = false
  #sizeOfNext: number | undefined

  read(piece: Uint8Array): void {
    let at = 0
    while (at < piece.length) {
      const skipped = Math.min(this.#skippedBytes, piece.length - at)
      this.#skippedBytes -= skipped
      at += skipped
      if (at === piece.length) return
      const part = piece.subarray(at, at + this.#missingBytes)
      at += part.length
      this.#collected.push(Buffer.from(part))
      this.#missingBytes -= part.length
      if (this.#missingBytes === 0) this.#finish(Buffer.concat(this.#collected))
    }
  }

  #finish(bytes: Buffer): void {
    if (this.#readsAttributes) this.#readAttributes(bytes.toString('latin1'))
    else this.#readHeader(bytes)
  }

  #readAttributes(text: string): void {
    if (sparseAttribute.test(text)) throw refusal('the entry', 'S')
    const size = sizeAttribute.exec(text)?.[1]
    if (size !== undefined) this.#sizeOfNext = Number(size)
    this.#expectHeader(0)
  }

  #readHeader(header: Buffer): void {
    if (header.equals(emptyBlock)) return this.#expectHeader(0)
    const type = String.fromCharCode(header[typeAt]!)
    if (!knownTypes.has(type)) throw refusal(header.toString('utf8', 0, nameEnd).split('\0', 1)[0]!, type)
    const size = readSize(header)
    if (type === 'x' && size > 0 && size <= maxAttributeBytes) {
      this.#collected = []
      this.#missingBytes = toBlocks(size)
      this.#readsAttributes = true
      return
    }
    const isMetadata = 'xgLK'.includes(type)
    const contentBytes = isMetadata ? size : (this.#sizeOfNext ?? size)
    if (!isMetadata) this.#sizeOfNext = undefined
    this.#expectHeader(typesWithoutContent.has(type) ? 0 : toBlocks(contentBytes))
  }

  #expectHeader(skippedBytes: number): void {
    this.#collected = []
    this.#missingBytes = blockBytes
    this.#skippedBytes = skippedBytes
    this.#readsAttributes = false
  }
}

const toBlocks = (bytes: number) => Math.ceil(bytes / blockBytes) * blockBytes

/** Reads the size of an entry: octal digits, or from 8 GiB on a binary number. */
function readSize(header: Buffer): number {
  // A size too large for octal digits is binary. Its last 8 bytes are enough for any file.
  if (header[sizeAt]! & 0x80) return Number(header.readBigUInt64BE(sizeEnd - 8))
  return Number.parseInt(header.toString('latin1', sizeAt, sizeEnd), 8) || 0
}

function refusal(name: string, type: string): FileError {
  const reason = refusalReasons[type] ?? `has the type "${type}", which is not unpacked`
  return new FileError('invalid', `contains a refused entry: ${name} ${reason}`)
}
