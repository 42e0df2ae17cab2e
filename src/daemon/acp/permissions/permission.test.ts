import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readToolCall, type ToolCall } from '../tool-calls/tool-call.ts'
import { chooseAllowingAnswer, readPermission } from './permission.ts'

const option = (optionId: string, kind: string) => ({ optionId, kind, name: optionId })
const ask = (toolCall: object, earlier?: ToolCall, options: unknown = []) =>
  readPermission({ toolCall: { toolCallId: 'c', ...toolCall }, options }, '/w', () => earlier)

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
  ['a title alone', { title: 'Delete x' }, undefined, null, 'Delete x'],
  ['a command now, and a title before', { rawInput: { command: 'rm x' } }, { title: 'Delete x' }, 'shell', 'rm x'],
  [
    'a title cut short, and the whole before',
    { title: '"touch /etc/no…"' },
    { command: 'touch /etc/nologin' },
    'shell',
    'touch /etc/nologin',
  ],
  ['a title cut short, and no more', { title: 'touch…' }, undefined, null, 'touch…'],
  ['a command in words', { rawInput: { command: ['rm', '-rf', 'x'] } }, undefined, 'shell', 'rm -rf x'],
  [
    'a title around a command',
    { title: 'Run ls (why)', rawInput: { command: 'ls' } },
    undefined,
    'shell',
    'Run ls (why)',
  ],
  [
    'a name that narrows the kind',
    { name: 'shell.escalate', kind: 'execute', title: 'x y' },
    undefined,
    'shell.escalate',
    'x y',
  ],
  ['a name of another agent', { name: 'exec_command', kind: 'execute', title: 'x y' }, undefined, 'shell', 'x y'],
  ['a tool of no kind', { title: 'mcp__git__push', kind: 'other' }, undefined, 'mcp__git__push', null],
  [
    'an edit whose content was sent before as text',
    { title: 'Write', kind: 'edit' },
    readToolCall({
      content: [{ type: 'content', content: { type: 'text', text: '{"path":"evil.sh","content":"rm"}' } }],
    }),
    'edit',
    'Write\n{"path":"evil.sh","content":"rm"}',
  ],
  [
    'an edit with its content in the input',
    { title: 'Writing to evil.sh', kind: 'edit', rawInput: { file_path: 'evil.sh', content: 'rm' } },
    undefined,
    'edit',
    'Writing to evil.sh\n{"file_path":"evil.sh","content":"rm"}',
  ],
  [
    'a new file',
    { title: 'Edit files', content: [{ type: 'diff', path: '/w/a', oldText: null, newText: 'one\ntwo' }] },
    undefined,
    'edit',
    'Edit files\n+++ /w/a (new file)\n+one\n+two',
  ],
  [
    'an address that the title has',
    { title: 'Fetch https://x.y/z', kind: 'fetch', rawInput: { url: 'https://x.y/z' } },
    undefined,
    'fetch',
    'Fetch https://x.y/z',
  ],
  [
    'a file that only the places name',
    { title: 'Delete it', kind: 'delete', locations: [{ path: '/w/a' }] },
    undefined,
    'delete',
    'Delete it\n/w/a',
  ],
  [
    'a command in a folder of the workspace',
    { title: 'Run', kind: 'execute', rawInput: { command: 'rm -r *', workdir: 'docs' } },
    undefined,
    'shell',
    'In docs: rm -r *',
  ],
  [
    'a command in a folder outside the workspace',
    { title: 'rm -r *', kind: 'execute', rawInput: { command: 'rm -r *', cwd: '/etc/a b' } },
    undefined,
    'shell',
    'In "/etc/a b": rm -r *',
  ],
  [
    'a command in the workspace',
    { kind: 'execute', rawInput: { command: 'ls', cwd: '/w/' } },
    undefined,
    'shell',
    'ls',
  ],
  ['nothing at all', {}, undefined, null, null],
]
for (const [what, toolCall, earlier, operation, detail] of rows) {
  test(`a permission for ${what} is for ${operation} (${detail})`, () => {
    const { question } = ask(toolCall, earlier)
    assert.deepEqual([question.operation, question.detail], [operation, detail])
  })
}

test('an answer is sent with the id of the first option of its kind', () => {
  const { question, toOutcome } = ask({}, undefined, [
    option('x', 'allow_always'),
    option('y', 'allow_always'),
    option('n', 'reject_once'),
  ])
  assert.deepEqual(question.options, ['allow_always', 'reject_once'])
  assert.deepEqual(toOutcome('allow_always'), { outcome: { outcome: 'selected', optionId: 'x' } })
  assert.deepEqual(toOutcome('cancel'), { outcome: { outcome: 'cancelled' } })
})

test('options of unknown kinds, and no options at all, leave only cancel', () => {
  for (const options of [[option('z', 'allow_forever')], [], undefined, 'x', [null]]) {
    assert.deepEqual(ask({}, undefined, options).question.options, [])
  }
})

test('self-drive consents as narrowly as possible, and never rejects', () => {
  assert.equal(chooseAllowingAnswer(['allow_always', 'allow_once', 'reject_once']), 'allow_once')
  assert.equal(chooseAllowingAnswer(['reject_once', 'allow_always']), 'allow_always')
  assert.equal(chooseAllowingAnswer(['reject_once']), 'cancel')
})
