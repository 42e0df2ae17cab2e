import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withAcceptedRoles } from './openai-chat-roles.ts'

const message = (role: string, content: unknown) => ({ role, content })
const accepted = (...messages: ReturnType<typeof message>[]) => withAcceptedRoles(messages, {})
const reminder = (text: string) => `<system-reminder>\n${text}\n</system-reminder>`

test('a conversation that every template accepts is returned as it is', () => {
  const messages = [message('system', 'A'), message('user', 'B'), message('assistant', 'C'), message('user', 'D')]
  assert.equal(withAcceptedRoles(messages, {}), messages)
})

test('instructions at the start become one system message', () =>
  assert.deepEqual(accepted(message('system', 'A'), message('developer', 'B'), message('user', 'C')), [
    message('system', 'A\n\nB'),
    message('user', 'C'),
  ]))

test('a later instruction becomes a part of the user message after it', () =>
  assert.deepEqual(
    accepted(message('user', 'A'), message('assistant', 'B'), message('system', 'C'), message('user', 'D')),
    [message('user', 'A'), message('assistant', 'B'), message('user', `${reminder('C')}\n\nD`)],
  ))

test('a later instruction becomes a part of the result before it', () => {
  const result = { ...message('tool', 'B'), tool_call_id: 'a' }
  assert.deepEqual(accepted(message('user', 'A'), result, message('system', 'C')), [
    message('user', 'A'),
    { ...result, content: `B\n\n${reminder('C')}` },
  ])
})

test('a user message keeps its name when an instruction after it becomes a part of it', () => {
  const named = { ...message('user', 'A'), name: 'Ada' }
  assert.deepEqual(accepted(named, message('system', 'B')), [{ ...named, content: `A\n\n${reminder('B')}` }])
})

test('an instruction between a tool call and its result becomes a part of the result', () => {
  const call = { ...message('assistant', null), tool_calls: [{ id: 'a' }] }
  const result = { ...message('tool', 'B'), tool_call_id: 'a' }
  assert.deepEqual(accepted(message('user', 'A'), call, message('system', 'C'), result), [
    message('user', 'A'),
    call,
    { ...result, content: `B\n\n${reminder('C')}` },
  ])
})

test('an instruction between two responses becomes a user message', () =>
  assert.deepEqual(accepted(message('assistant', 'A'), message('system', 'B'), message('assistant', 'C')), [
    message('assistant', 'A'),
    message('user', reminder('B')),
    message('assistant', 'C'),
  ]))

test('consecutive user messages become one, with their parts', () => {
  const image = { type: 'image_url', image_url: { url: 'https://a.example/a.png' } }
  assert.deepEqual(accepted(message('user', 'A'), message('user', [image])), [
    message('user', [{ type: 'text', text: 'A' }, image]),
  ])
})

test('accepted roles stay', () => {
  const messages = [message('developer', 'A'), message('user', 'B'), message('user', 'C'), message('system', 'D')]
  const all = { developerRole: true, lateSystemMessages: true, repeatedRoles: true }
  assert.equal(withAcceptedRoles(messages, all), messages)
})
