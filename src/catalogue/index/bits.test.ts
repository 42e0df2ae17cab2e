import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addBit, allBits, countBits, emptyBits, filterBits, listNumbers, subtractBits } from './bits.ts'

const setOf = (size: number, members: number[]) => {
  const bits = emptyBits(size)
  for (const member of members) addBit(bits, member)
  return bits
}

test('a full set has exactly its size, for any size', () => {
  for (const size of [0, 1, 31, 32, 33, 64, 300]) {
    assert.equal(countBits(allBits(size)), size)
    assert.deepEqual([...listNumbers(allBits(size))], [...Array(size).keys()])
  }
})

test('members are returned in the requested order, at word boundaries too', () => {
  const bits = setOf(70, [0, 31, 32, 63, 69])
  const order = Uint32Array.from([...Array(70).keys()].reverse())
  assert.deepEqual([...listNumbers(bits, order)], [69, 63, 32, 31, 0])
})

test('items that fail the test are removed, and only members are tested', () => {
  const bits = setOf(64, [3, 31, 63])
  const requests: number[] = []
  filterBits(bits, (at) => requests.push(at) > 0 && at !== 31)
  assert.deepEqual(
    [[...listNumbers(bits)], requests],
    [
      [3, 63],
      [3, 31, 63],
    ],
  )
  subtractBits(bits, setOf(64, [63]))
  assert.deepEqual([...listNumbers(bits)], [3])
})
