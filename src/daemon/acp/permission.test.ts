import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readPermission, selfDriveAnswer } from './permission.ts'
import type { ToolCall } from './update.ts'

const option = (optionId: string, kind: string) => ({ optionId, kind, name: optionId })
const ask = (toolCall: object, earlier?: ToolCall, options: unknown = []) =>
  readPermission({ toolCall: { toolCallId: 'c', ...toolCall }, options }, () => earlier)

const rows: [
  what: string,
  toolCall: object,
  earlier: ToolCall | undefined,
  operation: string | null,
  detail: string | null,
][] = [
  ['a name and a title', { name: 'shell', title: 'ls -l' }, undefined, 'shell', 'ls -l'],
  ['a name and a command', { name: 'shell', title: 'List', rawInput: { command: 'ls' } }, undefined, 'shell', 'ls'],
  [
    'a title with a word before the command',
    { name: 'shell', title: 'No sandbox: ls', rawInput: { command: 'ls' } },
    undefined,
    'shell',
    'No sandbox: ls',
  ],
  ['a title alone', { title: 'Delete x' }, undefined, 'Delete x', null],
  ['nothing now, and a title before', {}, { title: 'Delete x', command: 'rm x' }, 'Delete x', 'rm x'],
  [
    'a title cut short, and the whole before',
    { title: '"touch /etc/no…"' },
    { command: 'touch /etc/nologin' },
    'touch /etc/nologin',
    null,
  ],
  ['a title cut short, and no more', { title: 'touch…' }, undefined, 'touch…', null],
  ['a command in words', { rawInput: { command: ['rm', '-rf', 'x'] } }, undefined, 'rm -rf x', null],
  ['nothing at all', {}, undefined, null, null],
]
for (const [what, toolCall, earlier, operation, detail] of rows) {
  test(`a permission for ${what} is for ${operation} (${detail})`, () => {
    const { question } = ask(toolCall, earlier)
    assert.deepEqual([question.operation, question.detail], [operation, detail])
  })
}

test('an answer goes to the agent by the id of the first option of its kind', () => {
  const { question, outcome } = ask({}, undefined, [
    option('x', 'allow_always'),
    option('y', 'allow_always'),
    option('n', 'reject_once'),
  ])
  assert.deepEqual(question.options, ['allow_always', 'reject_once'])
  assert.deepEqual(outcome('allow_always'), { outcome: { outcome: 'selected', optionId: 'x' } })
  assert.deepEqual(outcome('cancel'), { outcome: { outcome: 'cancelled' } })
})

test('options of unknown kinds, and no options at all, leave only cancel', () => {
  for (const options of [[option('z', 'allow_forever')], [], undefined, 'x', [null]]) {
    assert.deepEqual(ask({}, undefined, options).question.options, [])
  }
})

test('self-drive consents as narrowly as it can, and never says no on the caller’s behalf', () => {
  assert.equal(selfDriveAnswer(['allow_always', 'allow_once', 'reject_once']), 'allow_once')
  assert.equal(selfDriveAnswer(['reject_once', 'allow_always']), 'allow_always')
  assert.equal(selfDriveAnswer(['reject_once']), 'cancel')
})
