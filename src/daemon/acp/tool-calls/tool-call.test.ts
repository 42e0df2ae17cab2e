import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toOperation } from './operation.ts'
import { readToolCall, type ToolCall } from './tool-call.ts'

const textContent = (text: string) => [{ type: 'content', content: { type: 'text', text } }]
const json = '{"name":"widgets"}'

/** The call after these updates. */
const readAll = (updates: object[]) =>
  updates.reduce((before: ToolCall, update) => readToolCall({ toolCallId: 'c', ...update }, before), {})

for (const [what, updates, expected] of [
  ['the text of an open call without input', [{ content: textContent(json) }], { input: json }],
  [
    'the text of a call with input',
    [{ rawInput: { path: 'a' } }, { content: textContent(json) }],
    { input: '{"path":"a"}', text: json },
  ],
  [
    'the text after input in a text',
    [{ content: textContent('{"a":1}') }, { content: textContent(json) }],
    { input: '{"a":1}', text: json },
  ],
  [
    'the text of a completed call',
    [{ status: 'completed', content: textContent(json) }],
    { status: 'completed', text: json },
  ],
  ['the text of a failed call', [{ status: 'failed', content: textContent(json) }], { status: 'failed', text: json }],
] as const)
  test(`JSON in ${what} is ${'text' in expected ? 'output' : 'input'}`, () => {
    assert.deepEqual(readAll([...updates]), expected)
  })

for (const [content, text] of [
  [{ type: 'image', data: 'aGk=', mimeType: 'image/png' }, '[image: image/png]'],
  [{ type: 'image', data: 'aGk=', mimeType: 'image/png', uri: 'file:///a.png' }, '[image: image/png, file:///a.png]'],
  [{ type: 'audio', data: 'aGk=', mimeType: 'audio/wav' }, '[audio: audio/wav]'],
  [{ type: 'resource_link', uri: 'file:///report.pdf', name: 'report.pdf' }, '[report.pdf](file:///report.pdf)'],
  [{ type: 'resource', resource: { uri: 'file:///a.py', text: 'print(1)' } }, 'file:///a.py:\nprint(1)\n'],
  [
    { type: 'resource', resource: { uri: 'file:///a.pdf', mimeType: 'application/pdf', blob: 'aGk=' } },
    '[file:///a.pdf: application/pdf]',
  ],
  [{ type: 'of_the_future' }, undefined],
] as const)
  test(`content of the type ${content.type} is the output ${JSON.stringify(text)}`, () => {
    assert.equal(readToolCall({ status: 'completed', content: [{ type: 'content', content }] }).text, text)
  })

test('a deleted file whose new text is null is a change that removes its lines', () => {
  const content = [{ type: 'diff', path: 'a', oldText: 'x', newText: null }]
  assert.deepEqual(readToolCall({ content }).changes, [{ path: 'a', before: 'x', after: '' }])
})

test('a later command replaces an earlier one that was a list of arguments', () => {
  const call = readAll([{ rawInput: { command: ['ls', '-l'] } }, { rawInput: { command: 'git push' } }])
  assert.deepEqual([call.command, call.script], ['git push', undefined])
})

test('a kind that is the name of a property of every object is an unknown kind', () => {
  for (const kind of ['constructor', '__proto__', 'toString'])
    assert.equal(toOperation(readAll([{ kind, title: 'Run' }])), 'Run')
})
