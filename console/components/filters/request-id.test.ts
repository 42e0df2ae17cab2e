import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requestIdIn } from './request-id.ts'

test('requestIdIn finds an id alone and in an address', () => {
  const id = 'gen-019aa1b2-6f3e-7a51-9a3e-0c5d2f1b7e44'
  for (const text of [id, ` ${id} `, `https://gate.example/requests/${id}?last=1h`, `/api/v1/generation?id=${id}`])
    assert.equal(requestIdIn(text), id)
  for (const responseId of ['chatcmpl-019aa1b26f3e', 'resp_019aa1b26f3e', 'msg_019aa1b26f3e'])
    assert.equal(requestIdIn(` ${responseId} `), responseId)
  assert.equal(requestIdIn('openai/gpt-5.4-mini'), undefined)
})
