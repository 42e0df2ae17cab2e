import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultLimits } from '#daemon/settings/limits.ts'
import { Settings } from '#platform/config/settings.ts'
import { toDaemonLimits } from './daemon-limits.ts'

test('a daemon gets its limits from the settings, by names that it knows', () => {
  const usual = toDaemonLimits(Settings.parse({}))
  for (const name of Object.keys(usual)) assert.ok(name in defaultLimits, name)
  assert.equal(usual.handshakeMs, defaultLimits.handshakeMs)
  const patient = toDaemonLimits(Settings.parse({ intern_agent_answer_ms: 600_000, intern_question_ms: 7 }))
  assert.deepEqual([patient.handshakeMs, patient.questionMs], [600_000, 7])
})
