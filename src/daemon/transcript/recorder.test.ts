import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maxLengths } from './limits.ts'
import { Recorder } from './recorder.ts'

function newRecorder(): Recorder {
  let last = 0
  const deps = { now: () => 0, nextId: () => ++last, onChange: () => {}, onText: () => {} }
  return new Recorder(deps, 's', undefined)
}

/** The recorded texts of a message that arrived in pieces. */
function recordTexts(pieces: string[]): string[] {
  const recorder = newRecorder()
  for (const piece of pieces) recorder.addText('message', piece)
  return recorder.unsavedChange()!.entries.map((entry) => ('text' in entry ? entry.text : ''))
}

test('a long text is recorded in entries of whole characters', () => {
  const full = 'x'.repeat(maxLengths.text - 1)
  for (const pieces of [[`${full}🚂`], [full, '🚂'], [`${full}y`, '🚂'], ['🚂'.repeat(maxLengths.text)]]) {
    const texts = recordTexts(pieces)
    assert.equal(texts.join(''), pieces.join(''))
    for (const text of texts) assert.ok(text.isWellFormed() && text.length <= maxLengths.text)
  }
})

/** The stored output of a tool call whose terminal output arrived in pieces. */
function recordOutput(pieces: string[]): string {
  const recorder = newRecorder()
  for (const piece of pieces) recorder.updateTool('call', { status: 'in_progress' }, piece)
  const [entry] = recorder.unsavedChange()!.entries
  return entry?.type === 'tool_call' ? entry.output! : ''
}

test('the note in a long output counts all omitted characters', () => {
  const output = '🚂x'.repeat(200_000)
  const inPieces = (length: number) =>
    Array.from({ length: output.length / length }, (_, at) => output.slice(at * length, (at + 1) * length))
  for (const length of [5_000, 30_000, output.length]) {
    const stored = recordOutput(inPieces(length))
    const [, start = '', count, end = ''] = /^(.*)\n\[… (\d+) characters are omitted …\]\n(.*)$/s.exec(stored)!
    assert.ok(output.startsWith(start) && output.endsWith(end))
    assert.equal(start.length + Number(count) + end.length, output.length)
    assert.ok(start.length + end.length <= maxLengths.output + 1)
  }
})

for (const [reason, status] of [
  ['finished', 'in_progress'],
  ['cancelled', 'failed'],
  ['severed', 'failed'],
] as const)
  test(`a tool call without a result is ${status} after a run that is ${reason}`, () => {
    const recorder = newRecorder()
    recorder.startRun('r', 'go', { mode: 'manual', by: null })
    recorder.updateTool('done', { status: 'completed' }, undefined)
    recorder.updateTool('open', { status: 'in_progress' }, undefined)
    recorder.endRun({ reason, message: null, model: null, usage: null })
    const calls = recorder.unsavedChange()!.entries.filter((entry) => entry.type === 'tool_call')
    assert.deepEqual(
      calls.map((call) => [call.toolCallId, call.status]),
      [
        ['done', 'completed'],
        ['open', status],
      ],
    )
    recorder.updateTool('open', { status: 'completed' }, undefined)
    assert.equal(recorder.unsavedChange()!.entries.filter(({ type }) => type === 'tool_call').length, 2)
  })
