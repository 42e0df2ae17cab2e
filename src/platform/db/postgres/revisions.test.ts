import assert from 'node:assert/strict'
import { test } from 'node:test'
import { trackRevisions } from './revisions.ts'

const notification = (revision: number) => JSON.stringify({ topic: 'key.changed', payload: 'hash', revision })

/** A database in which the topic was published this many times, as the driver returns it. */
const storing = (revision: number, meanwhile = () => {}) =>
  ({
    query: async () => {
      meanwhile()
      return { rows: [{ topic: 'key.changed', revision: String(revision) }] }
    },
  }) as never

test('the next notification of a topic is heard and nothing was missed', () => {
  const { record: heard } = trackRevisions()
  const expected = { topic: 'key.changed', payload: 'hash' }
  assert.deepEqual(heard(notification(1)), { notification: expected, missed: false })
  assert.deepEqual(heard(notification(2)), { notification: expected, missed: false })
})

test('a gap in the notifications is reported once', () => {
  const { record: heard } = trackRevisions()
  assert.equal(heard(notification(1)).missed, false)
  assert.equal(heard(notification(3)).missed, true)
  assert.equal(heard(notification(4)).missed, false)
})

test('repeated and late notifications are ignored', async () => {
  const { record: heard, catchUp } = trackRevisions()
  for (const revision of [1, 2, 1]) assert.equal(heard(notification(revision)).missed, false)
  assert.equal(await catchUp(storing(2)), false)
})

test('a lost notification is found by comparison, once', async () => {
  const { record: heard, catchUp } = trackRevisions()
  heard(notification(1))
  assert.equal(await catchUp(storing(2)), true)
  assert.equal(await catchUp(storing(2)), false)
  assert.equal(heard(notification(3)).missed, false)
})

test('a database that restarts at an earlier revision has missed notifications', async () => {
  const { record: heard, catchUp } = trackRevisions()
  assert.equal(await catchUp(storing(5)), true)
  assert.equal(await catchUp(storing(3)), true)
  assert.equal(heard(notification(4)).missed, false)
})

test('a notification that precedes its comparison is not lost', async () => {
  const { record: heard, catchUp } = trackRevisions()
  heard(notification(1))
  assert.equal(await catchUp(storing(1, () => heard(notification(2)))), false)
  assert.equal(heard(notification(3)).missed, false)
})
