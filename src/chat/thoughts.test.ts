import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Message } from './message.ts'
import { seal, unseal } from './sealed-thought.ts'
import { detailsOf, type ReasoningDetail, thoughtsOf, withoutThoughts } from './thoughts.ts'

const format = 'anthropic-claude-v1' as const
const saying = (details: unknown) => ({ role: 'assistant', content: 'Yes.', reasoning_details: details }) as Message

describe('thoughts that clients keep', () => {
  test('pieces kept one after the other are joined: a signature ends a thought', () => {
    const pieces = [
      { text: 'Hmm,', format },
      { text: ' so.', format },
      { text: '', format, signature: 'one' },
      { text: '', format, encrypted: 'two' },
      { text: 'Then.', format, signature: 'three' },
    ]
    assert.deepEqual(thoughtsOf(saying(pieces.flatMap((piece) => detailsOf(piece, 0))), format), [
      { text: 'Hmm, so.', format, signature: 'one' },
      { text: '', format, encrypted: 'two' },
      { text: 'Then.', format, signature: 'three' },
    ])
  })

  test('pieces of other formats between them keep the pieces of a thought apart', () => {
    const other = { text: 'x', format: 'google-gemini-v1' as const }
    const pieces = [{ text: 'blue', format }, other, { text: 'berry', format, signature: 's' }]
    const details = pieces.flatMap((piece) => detailsOf(piece, 0))
    assert.deepEqual(thoughtsOf(saying(details), format), [{ text: 'berry', format, signature: 's' }])
  })

  test('a thought without a signature is not sent back: its provider would not know it', () => {
    assert.deepEqual(thoughtsOf(saying(detailsOf({ text: 'Hm', format }, 0)), format), [])
  })

  test('what is no thought at all is passed over', () => {
    const odd = [null, 5, 'text', [null], { text: 5, format }, { text: {}, format, signature: 5 }]
    const sound = { text: 'Hm', format, signature: 'one' }
    assert.deepEqual(thoughtsOf(saying([...odd, ...detailsOf(sound, 0)]), format), [sound])
    assert.deepEqual(withoutThoughts(saying([null, 5])), { role: 'assistant', content: 'Yes.' })
  })

  test('a seal that somebody made up gives nothing but the texts of a mark', () => {
    const forged = { format, signature: 'one', encrypted: 5, id: {}, text: 'x', index: null } as never
    assert.deepEqual(unseal(seal(forged)!, undefined), { format, signature: 'one' })
    const made = `sealed.${Buffer.from(JSON.stringify(forged)).toString('base64url')}`
    assert.deepEqual(unseal(made, undefined), { format, signature: 'one' })
  })

  test('a thought without an owner gives clients nothing to keep', () => {
    assert.deepEqual(detailsOf({ text: 'Hm' }, 0), [])
  })

  test('details of no shape that is known do no harm', () => {
    for (const details of [null, 'text', [], [{}], [null, 'x'], [{ type: 'reasoning.server_tool_call' }]])
      assert.deepEqual(thoughtsOf(saying(details), format), [])
  })

  test('where thoughts are not known only those without an owner pass', () => {
    const own: ReasoningDetail = { type: 'reasoning.text', text: 'Hm', format }
    const other: ReasoningDetail = { type: 'reasoning.text', text: 'Hm', format: 'unknown' }
    assert.deepEqual(withoutThoughts(saying([own])), { role: 'assistant', content: 'Yes.' })
    assert.deepEqual(withoutThoughts(saying([own, other])), saying([other]))
  })
})

describe('sealed thoughts', () => {
  test('a mark that was sealed is unsealed as it was', () => {
    const marks = [
      { format, signature: 'sig' },
      { format, encrypted: 'data' },
      { format: 'google-gemini-v1' as const, encrypted: 'CikB', id: 'call_1' },
    ]
    for (const mark of marks) assert.deepEqual(unseal(seal(mark)!, 'rs_1'), mark)
  })

  test('what the responses protocol encrypted itself stays as it is', () => {
    const mark = { format: 'openai-responses-v1' as const, encrypted: 'gAAAA', id: 'rs_1' }
    assert.equal(seal(mark), 'gAAAA')
    assert.deepEqual(unseal('gAAAA', 'rs_1'), mark)
  })

  test('a seal that somebody tampered with is no thought', () => {
    for (const sealed of [
      'sealed.',
      'sealed.!!!',
      `sealed.${Buffer.from('{"format":"x"}').toString('base64url')}`,
      'sealed.bnVsbA',
    ])
      assert.equal(unseal(sealed, undefined), undefined)
  })
})
