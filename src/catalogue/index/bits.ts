/** A set of model numbers: bit `i` stands for the i-th model of the snapshot. */
export type Bits = Uint32Array

export function emptyBits(size: number): Bits {
  // One word for each 32 numbers.
  return new Uint32Array((size + 31) >>> 5)
}

export function allBits(size: number): Bits {
  const bits = emptyBits(size).fill(0xffffffff)
  if (size & 31) bits[bits.length - 1] = 2 ** (size & 31) - 1
  return bits
}

export function addBit(bits: Bits, at: number): void {
  bits[at >>> 5]! |= 1 << (at & 31)
}

function hasBit(bits: Bits, at: number): boolean {
  return (bits[at >>> 5]! & (1 << (at & 31))) !== 0
}

export function intersectWith(bits: Bits, others: Bits): void {
  for (let word = 0; word < bits.length; word++) bits[word]! &= others[word]!
}

export function subtractBits(bits: Bits, excluded: Bits): void {
  for (let word = 0; word < bits.length; word++) bits[word]! &= ~excluded[word]!
}

export function unionWith(bits: Bits, others: Bits): void {
  for (let word = 0; word < bits.length; word++) bits[word]! |= others[word]!
}

/** Removes the numbers for which `passes` is false. */
export function filterBits(bits: Bits, passes: (at: number) => boolean): void {
  for (let word = 0; word < bits.length; word++) {
    let rest = bits[word]!
    let masked = rest
    while (rest !== 0) {
      const lowest = rest & -rest
      if (!passes((word << 5) + 31 - Math.clz32(lowest))) masked &= ~lowest
      rest ^= lowest
    }
    bits[word] = masked
  }
}

/** Counts the set bits, in parallel within each word: of pairs, of groups of four, and then of bytes. */
export function countBits(bits: Bits): number {
  let count = 0
  for (let word = 0; word < bits.length; word++) {
    let rest = bits[word]!
    rest -= (rest >>> 1) & 0x55555555
    rest = (rest & 0x33333333) + ((rest >>> 2) & 0x33333333)
    count += (((rest + (rest >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24
  }
  return count
}

/** Lists the numbers of a set in the order of `order`, a permutation of all numbers; ascending without one. */
export function listNumbers(bits: Bits, order?: Uint32Array): Uint32Array {
  const numbers = new Uint32Array(countBits(bits))
  let listedCount = 0
  if (order) {
    for (let position = 0; listedCount < numbers.length; position++) {
      if (hasBit(bits, order[position]!)) numbers[listedCount++] = order[position]!
    }
    return numbers
  }
  for (let word = 0; word < bits.length; word++) {
    for (let rest = bits[word]!; rest !== 0; rest &= rest - 1) {
      numbers[listedCount++] = (word << 5) + 31 - Math.clz32(rest & -rest)
    }
  }
  return numbers
}
