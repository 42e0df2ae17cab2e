import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Message } from './message.ts'
import { decodeThought, encodeThought } from './thought-encoding.ts'
import { readOrigin, readThoughts, toReasoningDetails } from './thoughts.ts'

const format = 'anthropic-claude-v1' as const
const saying = (details: unknown) => ({ role: 'assistant', content: 'Yes.', reasoning_details: details }) as Message

describe('thoughts that clients return', () => {
  test('adjacent fragments are joined, and a signature ends the reasoning', () => {
    const pieces = [
      { text: 'Hmm,', format },
      { text: ' so.', format },
      { text: '', format, signature: 'one' },
      { text: '', format, encrypted: 'two' },
      { text: 'Then.', format, signature: 'three' },
    ]
    assert.deepEqual(readThoughts(saying(pieces.flatMap((piece) => toReasoningDetails(piece, 0))), format), [
      { text: 'Hmm, so.', format, signature: 'one' },
      { text: '', format, encrypted: 'two' },
      { text: 'Then.', format, signature: 'three' },
    ])
  })

  test('pieces of other formats separate the pieces of a thought', () => {
    const other = { text: 'x', format: 'google-gemini-v1' as const }
    const pieces = [{ text: 'blue', format }, other, { text: 'berry', format, signature: 's' }]
    const details = pieces.flatMap((piece) => toReasoningDetails(piece, 0))
    assert.deepEqual(readThoughts(saying(details), format), [{ text: 'berry', format, signature: 's' }])
  })

  test('a thought without a signature is not sent back: its provider would not know it', () => {
    assert.deepEqual(readThoughts(saying(toReasoningDetails({ text: 'Hm', format }, 0)), format), [])
  })

  test('values that are not reasoning are skipped', () => {
    const odd = [null, 5, 'text', [null], { text: 5, format }, { text: {}, format, signature: 5 }]
    const sound = { text: 'Hm', format, signature: 'one' }
    assert.deepEqual(readThoughts(saying([...odd, ...toReasoningDetails(sound, 0)]), format), [sound])
  })

  test('a forged encoding returns only the texts of a thought', () => {
    const forged = { format, signature: 'one', encrypted: 5, id: {}, text: 'x', index: null } as never
    assert.deepEqual(decodeThought(encodeThought(forged)!, undefined), { format, signature: 'one' })
    const made = `sealed.${Buffer.from(JSON.stringify(forged)).toString('base64url')}`
    assert.deepEqual(decodeThought(made, undefined), { format, signature: 'one' })
  })

  test('a thought without a format has no details', () => {
    assert.deepEqual(toReasoningDetails({ text: 'Hm' }, 0), [])
  })

  test('details of unknown forms are skipped', () => {
    for (const details of [null, 'text', [], [{}], [null, 'x'], [{ type: 'reasoning.server_tool_call' }]])
      assert.deepEqual(readThoughts(saying(details), format), [])
  })

  test('the id of an unsigned thought names its place and model', () => {
    const origin = { field: 'reasoning_content' as const, by: 'a/b:free' }
    const [detail] = toReasoningDetails({ text: 'Hm', ...origin }, 0)
    assert.deepEqual(detail, {
      type: 'reasoning.text',
      text: 'Hm',
      id: 'reasoning_content:a/b:free',
      format: 'unknown',
      index: 0,
    })
    assert.deepEqual(readOrigin(detail!), origin)
    assert.deepEqual(readOrigin({ type: 'reasoning.text', ...origin }), origin)
    for (const id of ['native:r1', 'rs_1', 'text:a/b', null])
      assert.equal(readOrigin({ type: 'reasoning.text', id }), undefined)
  })
})

describe('encoded thoughts', () => {
  test('an encoded thought is decoded unchanged', () => {
    const thoughts = [
      { format, signature: 'sig' },
      { format, encrypted: 'data' },
      { format: 'google-gemini-v1' as const, encrypted: 'CikB', id: 'call_1' },
      { format: 'openai-responses-v1', encrypted: 'gAAAA', id: 'rs_1', via: 'chat' as const },
      { format: 'unknown', via: 'chat' as const },
      { format: 'xai-responses-v1', encrypted: 'x', via: 'chat' as const, isSummary: true as const },
      { field: 'reasoning_content' as const, by: 'a/b' },
    ]
    for (const thought of thoughts) assert.deepEqual(decodeThought(encodeThought(thought)!, 'rs_1'), thought)
  })

  test('content encrypted by the Responses protocol stays unchanged', () => {
    const thought = { format: 'openai-responses-v1' as const, encrypted: 'gAAAA', id: 'rs_1' }
    assert.equal(encodeThought(thought), 'gAAAA')
    assert.deepEqual(decodeThought('gAAAA', 'rs_1'), thought)
  })

  test('reasoning with a modified signature is skipped', () => {
    for (const encoded of [
      'sealed.',
      'sealed.!!!',
      `sealed.${Buffer.from('{"format":"x"}').toString('base64url')}`,
      'sealed.bnVsbA',
    ])
      assert.equal(decodeThought(encoded, undefined), undefined)
  })
})
