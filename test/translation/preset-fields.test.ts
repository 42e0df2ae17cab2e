import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startWithUpstream } from '#test/harness/upstream/recorded-providers.ts'
import { parseRequest } from '#test/harness/upstream/scripted-upstream.ts'
import { encodeResponse } from '#test/harness/upstream/upstream-responses.ts'
import { doors } from '../tool-calls/clients.ts'

test('a response names the fields of a preset that only chats have', async () => {
  const content = { text: 'Hi', source: { url: 'https://example.com', title: '' } }
  await using recorded = await startWithUpstream(
    (received) => encodeResponse(parseRequest(received).protocol, content, false),
    ['m'],
  )
  const { service } = recorded
  const preset = { ...doors.chat.body, model: 'openai-chat/m', seed: 1, logit_bias: { 1: 2 }, min_p: 0.5 }
  const saved = await service.manage('POST', '/presets/tuned/versions', { chat: preset })
  assert.equal(saved.status, 200, saved.text)
  for (const [door, provider] of [
    ['messages', 'anthropic-messages'],
    ['responses', 'openai-responses'],
  ] as const) {
    const { path, body } = doors[door]
    const reply = await service.ask('POST', path, { body: { ...body, model: `${provider}/m@preset/tuned` } })
    assert.equal(reply.status, 200, reply.text)
    const names = reply.headers.get('x-fields-left-out')?.split(', ') ?? []
    const received = recorded.upstream.requests.at(-1)!.body
    assert.deepEqual(
      names.toSorted(),
      ['logit_bias', 'min_p', 'seed'].filter((name) => !(name in received)),
    )
    assert.ok(names.includes('seed'), door)
  }
})
