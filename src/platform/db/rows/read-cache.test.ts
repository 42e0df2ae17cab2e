import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '#test/harness/until.ts'
import { createLocalSignals } from '../signals.ts'
import { createReadCache } from './read-cache.ts'

function remembering({ live = true } = {}) {
  const signals = { ...createLocalSignals(), live: () => live }
  const clock = { now: 0 }
  const reads: { name: string; answer: (value: string) => void }[] = []
  const remembered = createReadCache({
    signals,
    steady: () => clock.now,
    topic: 'preset.changed',
    read: (name) => new Promise<string>((response) => reads.push({ name, answer: response })),
    isCacheable: (value) => value !== 'nothing',
  })
  return { signals, clock, reads, remembered }
}

test('a read is cached, and shared by all concurrent callers', async () => {
  const { reads, remembered } = remembering()
  const both = [remembered.get('a'), remembered.get('a')]
  reads[0]?.answer('one')
  assert.deepEqual(await Promise.all(both), ['one', 'one'])
  assert.deepEqual([await remembered.get('a'), reads.length], ['one', 1])
})

test('a change causes a new read, and earlier reads are not cached after it', async () => {
  const { signals, reads, remembered } = remembering()
  const early = remembered.get('a')
  signals.deliver({ topic: 'preset.changed', payload: 'a' })
  const late = remembered.get('a')
  reads[1]?.answer('new')
  assert.equal(await late, 'new')
  reads[0]?.answer('old')
  await early
  assert.equal(await remembered.get('a'), 'new')
})

test('missed signals cause all entries to be read again', async () => {
  const { signals, reads, remembered } = remembering()
  const first = remembered.get('a')
  reads[0]?.answer('one')
  await first
  signals.reportMissed()
  void remembered.get('a')
  assert.equal(reads.length, 2)
})

test('while others cannot be heard memory is trusted for less than a second', async () => {
  const { clock, reads, remembered } = remembering({ live: false })
  const first = remembered.get('a')
  reads[0]?.answer('one')
  await first
  clock.now = 699
  assert.equal(await remembered.get('a'), 'one')
  clock.now = 700
  void remembered.get('a')
  await new Promise(setImmediate)
  assert.equal(reads.length, 2)
})

test('values that are not cacheable are read every time', async () => {
  const { reads, remembered } = remembering()
  const first = remembered.get('a')
  reads[0]?.answer('nothing')
  await first
  void remembered.get('a')
  assert.equal(reads.length, 2)
})

test('a clock that is set back makes nothing younger that was read before', async () => {
  const { now } = Date
  const signals = { ...createLocalSignals(), live: () => false }
  let reads = 0
  const remembered = createReadCache({ signals, topic: 'preset.changed', read: async () => ++reads })
  await remembered.get('a')
  try {
    Date.now = () => now() - 3_600_000
    await until(async () => (await remembered.get('a')) > 1)
  } finally {
    Date.now = now
  }
})
