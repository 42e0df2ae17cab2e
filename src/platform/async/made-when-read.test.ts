import assert from 'node:assert/strict'
import { test } from 'node:test'
import { madeWhenRead } from './made-when-read.ts'

test('a member is made when it is first read, and once', () => {
  const made: string[] = []
  const member = (name: string) => () => {
    made.push(name)
    return { name }
  }
  const object = madeWhenRead<{ one: { name: string }; two: { name: string } }>({
    one: member('one'),
    two: member('two'),
  })
  assert.deepEqual(made, [])
  assert.equal(object.one, object.one)
  assert.deepEqual(made, ['one'])
  assert.deepEqual({ ...object }, { one: { name: 'one' }, two: { name: 'two' } })
  assert.deepEqual(made, ['one', 'two'])
})

test('what could not be made is tried again', () => {
  let tries = 0
  const object = madeWhenRead<{ one: number }>({
    one() {
      tries++
      if (tries === 1) throw new Error('not yet')
      return tries
    },
  })
  assert.throws(() => object.one, /not yet/)
  assert.equal(object.one, 2)
})
