import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { GuardrailRecord } from '../guardrail.ts'
import { emptyPolicy } from './policy.ts'
import { screenText } from './screen-request.ts'

const filters = { content_filters: [{ pattern: 'secret', action: 'redact' as const, label: '[GONE]' }] }
const guardrail = { id: 'g', name: 'G', policy: { ...emptyPolicy, ...filters } } as unknown as GuardrailRecord
const clean = async () => ({ outcome: 'clean', content: 'as it may leave', findings: [] })

test('a text that no filter blocks is sent as the filters changed it', async () => {
  const scanner = { scanText: clean, scanAnswer: clean } as unknown as Parameters<typeof screenText>[0]
  assert.equal(
    await screenText(scanner, [guardrail], 'a secret', 'prompt', { requester: { workspaceId: 'w', keyHash: 'k' } }),
    'as it may leave',
  )
  assert.equal(
    await screenText(scanner, [guardrail], 'a secret', 'answer', { requester: { workspaceId: 'w', keyHash: 'k' } }),
    'as it may leave',
  )
})
