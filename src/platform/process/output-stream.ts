import { constants, fstatSync, openSync, write, writeSync } from 'node:fs'

/** Standard output or standard error. */
type OutputDescriptor = 1 | 2

/**
 * The limits of buffered lines: a text of `pieceCharacters` is encoded, because a longer text would be copied more often while
 * lines are added.
 */
const limits = { pieceCharacters: 4000, bytesPerWrite: 64_000, bytes: 16_000_000, delayMs: 50 }

/** Errors after which the same bytes are written again: the reader is slow, or the disk is full. */
const transientErrors: ReadonlySet<string | undefined> = new Set(['EAGAIN', 'EBUSY', 'ENOSPC', 'EDQUOT'])

/**
 * Writes lines to standard output or error, in the background. Buffers them for `delayMs`, and writes the remaining ones
 * when the process ends. If the reader is slow or the disk is full, lines above `bytes` are dropped. Nothing waits for the
 * reader, except the end of the process for at most half a second.
 */
export class OutputStream {
  readonly #descriptor: number
  /** Lines that are not in a piece yet. */
  #text = ''
  #pieces: Buffer[] = []
  #byteCount = 0
  /** The bytes that are being written, or whose write is repeated. */
  #current: Buffer | undefined
  #isWriting = false
  #timer: NodeJS.Timeout | undefined

  constructor(descriptor: OutputDescriptor) {
    this.#descriptor = openNonBlocking(descriptor)
    process.on('exit', () => this.#writeAtExit())
  }

  write(lines: string): void {
    if (this.#byteCount >= limits.bytes) return
    this.#text += lines
    if (this.#text.length >= limits.pieceCharacters) this.#endPiece()
    if (this.#byteCount >= limits.bytesPerWrite) this.#writeNext()
    else this.#writeLater()
  }

  #endPiece(): void {
    if (this.#text === '') return
    const piece = Buffer.from(this.#text)
    this.#text = ''
    this.#pieces.push(piece)
    this.#byteCount += piece.length
  }

  #writeLater(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#endPiece()
      this.#writeNext()
    }, limits.delayMs).unref()
  }

  /** Writes the next bytes, unless a write is in flight or is repeated later. */
  #writeNext(): void {
    if (this.#isWriting || this.#timer || (this.#current === undefined && this.#pieces.length === 0)) return
    this.#current ??= Buffer.concat(this.#pieces.splice(0))
    this.#isWriting = true
    write(this.#descriptor, this.#current, (error, length) => {
      this.#isWriting = false
      if (transientErrors.has(error?.code)) return this.#writeLater()
      // After another error, such as a closed pipe, nobody can read these bytes.
      const rest = error ? undefined : this.#current!.subarray(length)
      this.#byteCount -= error ? this.#current!.length : length
      this.#current = rest?.length ? rest : undefined
      this.#writeNext()
    })
  }

  #writeAtExit(): void {
    this.#endPiece()
    // A write in flight is finished by the thread pool.
    const current = this.#isWriting || !this.#current ? [] : [this.#current]
    writeRest(this.#descriptor, Buffer.concat([...current, ...this.#pieces]))
  }
}

/**
 * Opens standard output or error for writes that do not block, because a blocked write would also block the end of the
 * process. A new descriptor of a pipe or terminal has own flags, so that other processes still write to it as before.
 */
function openNonBlocking(descriptor: OutputDescriptor): number {
  const stats = fstatSync(descriptor)
  // Files do not block.
  if (stats.isFile()) return descriptor
  try {
    if (stats.isFIFO() || stats.isCharacterDevice())
      return openSync(`/dev/fd/${descriptor}`, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY)
  } catch {
    // The reader of the pipe has left, or another user owns the terminal. That terminal can block.
  }
  // Creating the stream makes a pipe or a socket non-blocking. Without a listener, an error would end the process.
  const stream = descriptor === 1 ? process.stdout : process.stderr
  stream.on('error', () => {})
  return descriptor
}

const maxPauseMs = 500
const pauseMs = 20

/** Writes as much as the reader accepts without a pause of `maxPauseMs`. Errors are ignored: nothing can report them. */
function writeRest(descriptor: number, rest: Buffer): void {
  let position = 0
  for (let waitedMs = 0; position < rest.length && waitedMs < maxPauseMs; waitedMs += pauseMs) {
    try {
      position += writeSync(descriptor, rest, position)
      waitedMs = 0
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs)
    }
  }
}
