import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changesBetween, meaningOf, shadowOf } from './rule-words.ts'

test('a rule says what becomes of what: a grant means it whole, a refusal all that touches it', () => {
  assert.equal(
    meaningOf({ effect: 'allow', commands: ['npm test', 'git log **'] }),
    'Allow without a question: exactly the command “npm test” or “git log …”.',
  )
  assert.equal(
    meaningOf({ effect: 'deny', tools: ['edit'], paths: ['.git/**', '**/*.pem'] }),
    'Refused: the tool “edit” and what is below it, where any file is in “.git/**” or “**/*.pem”.',
  )
  assert.equal(
    meaningOf({ effect: 'ask', hosts: ['*.internal'] }),
    'Ask, also in self-drive: anything, where any host is “*.internal”.',
  )
  assert.equal(meaningOf({ effect: 'ask' }), 'Ask, also in self-drive: everything.')
})

test('a rule behind one about everything is never reached', () => {
  const rules = [{ effect: 'deny', tools: ['edit'] }, { effect: 'ask', name: 'the rest' }, { effect: 'allow' }] as const
  const shadows = [0, 1, 2].map((index) => shadowOf(rules as never, index))
  assert.deepEqual(shadows, [0, 0, 2])
})

test('what differs is told line by line, and another order as such', () => {
  const [a, b] = [
    { effect: 'deny', hosts: ['a'] },
    { effect: 'ask', hosts: ['b'] },
  ] as never[]
  assert.deepEqual(changesBetween([a!, b!], [a!, b!]), [])
  assert.deepEqual(
    changesBetween([a!], [a!, b!]).map(({ field, gone, come }) => [field, gone.length, come.length]),
    [['rules', 0, 1]],
  )
  assert.equal(changesBetween([a!, b!], [b!, a!])[0]!.field, 'order')
})
