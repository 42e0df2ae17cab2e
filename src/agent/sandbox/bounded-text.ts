import { stripVTControlCharacters } from 'node:util'

/**
 * Stores the first `head` and the last `tail` bytes of an output of any length. Memory stays below `head + 2 * tail` bytes.
 * `text` returns the stored bytes followed by `last`, which is not stored.
 */
export type BoundedText = { add: (bytes: Buffer) => void; total: () => number; text: (last?: Buffer) => string }

export function createBoundedText(limits: { head: number; tail: number }): BoundedText {
  const head: Buffer[] = []
  let tail: Buffer[] = []
  let headSize = 0
  let tailSize = 0
  let total = 0

  const trimTail = () => {
    if (tailSize <= 2 * limits.tail) return
    tail = [Buffer.concat(tail).subarray(-limits.tail)]
    tailSize = limits.tail
  }
  return {
    add(bytes) {
      total += bytes.length
      const first = bytes.subarray(0, limits.head - headSize)
      if (first.length) head.push(Buffer.from(first))
      headSize += first.length
      // Cuts a huge piece before storing it.
      const rest = bytes.subarray(first.length).subarray(-limits.tail)
      if (rest.length) tail.push(Buffer.from(rest))
      tailSize += rest.length
      trimTail()
    },
    total: () => total,
    text(last = Buffer.alloc(0)) {
      const first = last.subarray(0, limits.head - headSize)
      const end = Buffer.concat([...tail, last.subarray(first.length)]).subarray(-limits.tail)
      const omitted = total + last.length - headSize - first.length - end.length
      const gap = omitted > 0 ? [Buffer.from(`\n… ${omitted} bytes omitted …\n`)] : []
      return stripVTControlCharacters(Buffer.concat([...head, first, ...gap, end]).toString())
    },
  }
}

/** Shortens a text to its first `head` and last `tail` bytes, with the number of omitted bytes between them. */
export function shorten(text: string, limits: { head: number; tail: number }): string {
  const bounded = createBoundedText(limits)
  bounded.add(Buffer.from(text))
  return bounded.text()
}
