import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ReasoningField } from '#catalogue/index/model.ts'
import { endpointFor } from '#test/harness/upstream/endpoints/encode-request.ts'
import { reasoningRepair } from './openai-chat-reasoning.ts'

type Sent = Record<string, unknown>
const endpoint = endpointFor('grok-4')
const marked = (field: string, model = 'test/grok-4') => ({
  type: 'reasoning.text',
  text: 'Hm',
  id: `${field}:${model}`,
  format: 'unknown',
  index: 0,
})
const signed = { type: 'reasoning.text', text: 'Hm', signature: 's', format: 'anthropic-claude-v1' }
const translated = { ...signed, id: 'native' }
const call = { id: 'call_a', type: 'function', function: { name: 'f', arguments: '{}' } }

function sent(given: Sent, reasoningField?: ReasoningField, requiresReasoningInHistory = false): Sent {
  const compatibility = { ...(reasoningField && { reasoningField }), requiresReasoningInHistory }
  const message = { role: 'assistant', content: 'Yes.', ...given }
  const { messages } = reasoningRepair(compatibility, endpoint)({ messages: [message] }, [])
  const { role: _role, ...rest } = (messages as Sent[])[0]!
  return rest
}

const content = 'Yes.'
const thinking = [
  { type: 'thinking', thinking: [{ type: 'text', text: 'Hm' }] },
  { type: 'text', text: 'Yes.' },
]
const ownThoughts: [name: string, given: Sent][] = [
  ['reasoning', { reasoning: 'Hm' }],
  ['reasoning_content', { reasoning_content: 'Hm' }],
  ['marked details', { reasoning_details: [marked('reasoning')] }],
  ['marked details and reasoning', { reasoning: 'Hm', reasoning_details: [marked('reasoning_content')] }],
  ['details of a chat server', { reasoning_details: [{ type: 'reasoning.text', text: 'Hm' }] }],
]

describe('reasoning of earlier responses', () => {
  for (const [name, given] of ownThoughts)
    test(`${name}: moves into the field that the server expects`, () => {
      assert.deepEqual(sent(given, 'reasoning'), { content, reasoning: 'Hm' })
      assert.deepEqual(sent(given, 'reasoning_content'), { content, reasoning_content: 'Hm' })
      assert.deepEqual(sent(given, 'thinking'), { content: thinking })
      assert.deepEqual(sent(given, 'none'), { content })
      const [detail] = sent(given, 'reasoning_details').reasoning_details as Sent[]
      assert.equal(detail!.text, 'Hm')
    })

  test('an unknown server gets it in its original field', () => {
    const given = { reasoning: 'Hm', reasoning_details: [marked('reasoning_content')] }
    assert.deepEqual(sent(given), { content, reasoning_content: 'Hm' })
    assert.deepEqual(sent({ reasoning_details: [marked('thinking')] }), { content: thinking })
    const old = { type: 'reasoning.text', text: 'Hm', field: 'reasoning_content', by: 'test/grok-4' }
    assert.deepEqual(sent({ reasoning_details: [old] }), { content, reasoning_content: 'Hm' })
  })

  test('reasoning of another model or another protocol is not sent', () => {
    for (const detail of [marked('reasoning', 'test/grok-3'), translated])
      for (const field of [undefined, 'reasoning', 'reasoning_content', 'reasoning_details', 'thinking'] as const)
        assert.deepEqual(sent({ reasoning: 'Hm', reasoning_details: [detail] }, field), { content })
  })

  test('signed details go back to a chat server that made them', () => {
    const given = { reasoning: 'Hm', reasoning_details: [signed, translated] }
    assert.deepEqual(sent(given), { content, reasoning: 'Hm', reasoning_details: [signed] })
    assert.deepEqual(sent(given, 'reasoning_details'), { content, reasoning_details: [signed] })
  })

  test('an unchanged message stays the same object', () => {
    const messages = [{ role: 'assistant', content: 'Yes.', reasoning: 'Hm', reasoning_details: [signed] }]
    const body = { messages }
    assert.equal(reasoningRepair({}, endpoint)(body, []), body)
  })

  test('a response without reasoning gets a placeholder if required', () => {
    const calling = { content: null, tool_calls: [call] }
    assert.equal(sent(calling, 'reasoning_content', true).reasoning_content, ' ')
    assert.equal(sent({ ...calling, reasoning: 'Hm' }, 'reasoning_content', true).reasoning_content, 'Hm')
    assert.deepEqual(sent({}, 'reasoning_content', true), { content })
    assert.deepEqual(sent(calling, 'reasoning_content'), calling)
  })
})
