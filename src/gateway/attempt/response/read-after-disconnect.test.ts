import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BackgroundReadSlots } from './background-read-slots.ts'
import { ReadAfterDisconnect } from './read-after-disconnect.ts'

const timeouts = { firstByteMs: 1, idleMs: 1, usageMs: 50 }
const mebibyte = 1024 * 1024
const needed = (slots: BackgroundReadSlots) => ({ slots, isNeeded: () => true })

test('until the client disconnects, a response has no limit here', () => {
  const read = new ReadAfterDisconnect({ timeouts })
  assert.equal(read.accepts(100 * mebibyte), true)
})

test('a finished response is read to its usage, for one mebibyte and a limited time', async () => {
  const read = new ReadAfterDisconnect({ timeouts })
  const { promise: aborted, resolve: abort } = Promise.withResolvers<void>()
  read.startReadingUsage(abort)
  assert.equal(read.accepts(mebibyte), true)
  assert.equal(read.accepts(1), false)
  await aborted
})

test('an unfinished response is read for eight mebibytes, and gives its slot back', () => {
  const slots = new BackgroundReadSlots(60_000)
  const reads = Array.from({ length: 65 }, () => new ReadAfterDisconnect({ timeouts, backgroundRead: needed(slots) }))
  assert.equal(reads.filter((read) => read.startReadingRest(() => {})).length, 64)
  assert.equal(reads[0]!.accepts(8 * mebibyte), true)
  assert.equal(reads[0]!.accepts(1), false)
  for (const read of reads) read.dispose()
  const later = new ReadAfterDisconnect({ timeouts, backgroundRead: needed(slots) })
  assert.equal(
    later.startReadingRest(() => {}),
    true,
  )
  later.dispose()
})

test('an unfinished response whose usage is not needed is not read', () => {
  const backgroundRead = { slots: new BackgroundReadSlots(60_000), isNeeded: () => false }
  const read = new ReadAfterDisconnect({ timeouts, backgroundRead })
  assert.equal(
    read.startReadingRest(() => {}),
    false,
  )
})
