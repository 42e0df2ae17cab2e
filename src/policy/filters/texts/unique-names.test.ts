import assert from 'node:assert/strict'
import { test } from 'node:test'
import { UniqueNames } from './unique-names.ts'

test('a rewritten name that is taken gets the next free number', () => {
  const names = new UniqueNames()
  const added = ['a@x.org', 'b@x.org', '[E] 3', 'c@x.org'].map((name) =>
    names.add(name.includes('@') ? '[E]' : name, name),
  )
  assert.deepEqual(added, ['[E]', '[E] 2', '[E] 3', '[E] 4'])
})

test('duplicate names that were not rewritten stay as they are', () => {
  const names = new UniqueNames()
  assert.deepEqual([names.add('a', 'a'), names.add('a', 'a'), names.add('a', 'b')], ['a', 'a', 'a 2'])
})

test('a reserved name is not given to a rewritten field', () => {
  const names = new UniqueNames()
  names.reserve('model')
  assert.equal(names.add('model', 'secret'), 'model 2')
})
