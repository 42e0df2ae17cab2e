import assert from 'node:assert/strict'
import { test } from 'node:test'
import { batchLookups } from './batch-lookups.ts'

/** A reader that finds every even number and counts its calls. */
function evenNumbers() {
  const reads: string[][] = []
  const read = async (keys: string[]) => {
    reads.push(keys)
    await new Promise((resolve) => setTimeout(resolve, 5))
    return new Map(keys.filter((key) => Number(key) % 2 === 0).map((key) => [key, `found ${key}`]))
  }
  return { read, reads }
}

test('every caller gets its own result', async () => {
  const { read } = evenNumbers()
  const find = batchLookups(read)
  const found = await Promise.all(['1', '2', '3', '4'].map(find))
  assert.deepEqual(found, [undefined, 'found 2', undefined, 'found 4'])
})

test('five thousand look-ups at once cost fewer than twenty reads', async () => {
  const { read, reads } = evenNumbers()
  await Promise.all(Array.from({ length: 5000 }, (_, n) => String(n)).map(batchLookups(read)))
  assert.ok(reads.length < 20, `${reads.length} reads`)
})

test('a single look-up is not held up', async () => {
  const { read, reads } = evenNumbers()
  void batchLookups(read)('2')
  assert.deepEqual(reads, [['2']])
})

test('a failed read rejects only its own look-ups', async () => {
  let broken = true
  const find = batchLookups(async (keys) => {
    if (broken) throw new Error('no database')
    return new Map(keys.map((key) => [key, key]))
  })
  await assert.rejects(find('a'), /no database/)
  broken = false
  assert.equal(await find('a'), 'a')
})
