import type { Steps } from '../../async/long-work.ts'

/** Values with fewer parts are serialized in one step. */
const partsPerStep = 1000

/** The number of pieces of text that are written between two pauses. */
const piecesPerStep = 200

/** Counts the pieces of all levels of a value. */
type Progress = { pieces: number }

/**
 * Serializes a value parsed from JSON like `JSON.stringify`, but in steps, because one step can block the event loop
 * for too long.
 */
export function* writeInSteps(value: unknown, write: Write, progress: Progress = { pieces: 0 }): Steps<void> {
  if (typeof value !== 'object' || value === null || countPartsUpTo(value, partsPerStep) < partsPerStep) {
    write(JSON.stringify(value) ?? 'null')
    // Pauses rarely, because each step passes through all levels of the value.
    if (++progress.pieces % piecesPerStep === 0) yield
    return
  }
  // A pause, because listing the fields of a large object takes long: they were counted above, and are written below.
  yield
  yield* Array.isArray(value) ? writeItems(value, write, progress) : writeFields(value as Fields, write, progress)
}

type Fields = Record<string, unknown>
type Write = (piece: string) => void

function* writeItems(items: unknown[], write: Write, progress: Progress): Steps<void> {
  let separator = '['
  for (const item of items) {
    write(separator)
    separator = ','
    yield* writeInSteps(item, write, progress)
  }
  write(']')
}

function* writeFields(fields: Fields, write: Write, progress: Progress): Steps<void> {
  let separator = '{'
  for (const name in fields) {
    if (fields[name] === undefined) continue
    write(`${separator}${JSON.stringify(name)}:`)
    separator = ','
    yield* writeInSteps(fields[name], write, progress)
  }
  write(separator === '{' ? '{}' : '}')
}

/** The number of items, fields and values in a value, counted up to a limit. */
function countPartsUpTo(value: object, limit: number): number {
  const pending: object[] = [value]
  let parts = 0
  for (let inner = pending.pop(); inner !== undefined && parts < limit; inner = pending.pop()) {
    if (Array.isArray(inner) && inner.length >= limit) return limit
    for (const name in inner) {
      if (++parts >= limit) return limit
      const field = (inner as Fields)[name]
      if (typeof field === 'object' && field !== null) pending.push(field)
    }
  }
  return parts
}

/** Serializes a value to buffers of about `bufferLength` characters each. */
export function* serializeInSteps(value: unknown): Steps<Buffer[]> {
  const buffers: Buffer[] = []
  let text = ''
  yield* writeInSteps(value, (piece) => {
    text += piece
    if (text.length < bufferLength) return
    buffers.push(Buffer.from(text))
    text = ''
  })
  buffers.push(Buffer.from(text))
  return buffers
}

const bufferLength = 128 * 1024
