import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseLine } from './log-line.ts'

test('parseLine splits a JSON line into time, event and details', () => {
  const time = '2026-01-02T03:04:05.000Z'
  assert.deepEqual(parseLine(JSON.stringify({ time, event: 'agent.ended', why: 'no such file', runs: 2, of: ['a'] })), {
    time,
    event: 'agent.ended',
    details: 'why: no such file  runs: 2  of: ["a"]',
  })
})

test('parseLine keeps other lines as text', () => {
  for (const line of ['', 'Error: no', '{"time":1,"event":"x"}', '{"event":"x"}', 'null', '[1]', '{"time":"t"'])
    assert.deepEqual(parseLine(line), { text: line })
})
