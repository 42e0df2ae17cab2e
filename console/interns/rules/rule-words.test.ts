import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changesBetween, describeRule, mergeRules, shadowingRule } from './rule-words.ts'

test('describeRule describes the effect and the scope of a rule', () => {
  assert.equal(
    describeRule({ effect: 'allow', commands: ['npm test', 'git log **'] }),
    'Allow without a question: exactly the command “npm test” or “git log …”.',
  )
  assert.equal(
    describeRule({ effect: 'deny', tools: ['edit'], paths: ['.git/**', '**/*.pem'] }),
    'Deny: the tool “edit” and its subtools, where any file is in “.git/**” or “**/*.pem”.',
  )
  assert.equal(
    describeRule({ effect: 'ask', hosts: ['*.internal'] }),
    'Ask, also in self-drive: anything, where any host is “*.internal”.',
  )
  assert.equal(describeRule({ effect: 'ask' }), 'Ask, also in self-drive: everything.')
})

test('shadowingRule finds the earlier rule that hides a rule', () => {
  const rules = [{ effect: 'deny', tools: ['edit'] }, { effect: 'ask', name: 'the rest' }, { effect: 'allow' }] as const
  const shadows = [0, 1, 2].map((index) => shadowingRule(rules as never, index))
  assert.deepEqual(shadows, [0, 0, 2])
})

test('changesBetween lists changed lines, and a change of order', () => {
  const [a, b] = [
    { effect: 'deny', hosts: ['a'] },
    { effect: 'ask', hosts: ['b'] },
  ] as never[]
  assert.deepEqual(changesBetween([a!, b!], [a!, b!]), [])
  assert.deepEqual(
    changesBetween([a!], [a!, b!]).map(({ field, removed, added }) => [field, removed.length, added.length]),
    [['rules', 0, 1]],
  )
  assert.equal(changesBetween([a!, b!], [b!, a!])[0]!.field, 'order')
})

test('mergeRules keeps the changes of both', () => {
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((host) => ({ effect: 'deny', hosts: [host] })) as never[]
  assert.deepEqual(mergeRules([a!, b!], [b!, d!], [a!, c!, b!]), [b!, c!, d!])
  assert.deepEqual(mergeRules([a!, b!], [a!, b!, d!], [b!]), [b!, d!])
})
