import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clear, settings, turns } from './conversation.ts'
import { noSettings } from './request.ts'

const startConversation = () => {
  turns.value = [{ id: 1, text: 'Hi', images: [], replies: {} }]
  settings.value = { ...noSettings, system: 'Be short.' }
}

test('undoing a new chat keeps settings that were changed after it', () => {
  startConversation()
  const undo = clear()
  settings.value = { ...noSettings, temperature: '1' }
  undo?.()
  assert.deepEqual([turns.value.length, settings.value.temperature], [1, '1'])
})

test('undoing a reopened request restores the settings before it', () => {
  startConversation()
  const undo = clear({ earlierMessages: [], settings: { ...noSettings, system: 'Be long.' } })
  assert.equal(settings.value.system, 'Be long.')
  undo?.()
  assert.equal(settings.value.system, 'Be short.')
})
