import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ToolCallCache } from './tool-call-cache.ts'

const start = { sessionUpdate: 'tool_call', title: 'bash', kind: 'execute', status: 'pending', rawInput: {} }
const update = (fields: object) => ({ sessionUpdate: 'tool_call_update', ...fields })

test('a call that repeats the id of an ended call has an own id and no details of it', () => {
  const calls = new ToolCallCache()
  calls.add('call_0', start)
  calls.add('call_0', update({ rawInput: { command: 'ls' } }))
  assert.equal(calls.get('call_0')?.command, 'ls')
  calls.add('call_0', update({ status: 'completed' }))
  assert.deepEqual(calls.add('call_0', start), {
    id: 'call_0#2',
    tool: { title: 'bash', kind: 'execute', status: 'pending' },
  })
  assert.equal(calls.get('call_0')?.command, undefined)
  assert.equal(calls.add('call_0', update({ status: 'failed' })).id, 'call_0#2')
  assert.equal(calls.add('call_0', start).id, 'call_0#3')
})

test('a permission request with the id of an ended call has no details of it', () => {
  const calls = new ToolCallCache()
  calls.add('shell', { ...start, rawInput: { command: 'ls' } })
  calls.add('shell', update({ status: 'completed' }))
  assert.equal(calls.get('shell'), undefined)
})

test('a late update, and a repeated report of a running call, change the same call', () => {
  const calls = new ToolCallCache()
  calls.add('a', start)
  assert.deepEqual(calls.add('a', { ...start, rawInput: { command: 'ls' } }).tool.command, 'ls')
  calls.add('a', update({ status: 'completed' }))
  const late = calls.add('a', update({ title: 'ls' }))
  assert.equal(late.id, 'a')
  assert.equal(late.tool.command, 'ls')
})
