import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OpenRouter } from '@openrouter/sdk'
import { onEachDatabase } from '#test/harness/database/databases.ts'
import { startTestService } from '#test/harness/service/service.ts'
import { untilMetered } from '#test/harness/service/world/generation-record.ts'

onEachDatabase('@openrouter/sdk, feedback about generations', (kind) => {
  test('feedback is stored with the generation, by callers who can read it', async () => {
    await using service = await startTestService({ kind })
    const body = { model: 'signalbox/demo', messages: [{ role: 'user', content: 'Hi' }] }
    const { headers } = await service.ask('POST', '/chat/completions', { body })
    const { id: generationId } = await untilMetered(service, headers.get('x-generation-id'))
    const sdk = new OpenRouter({ apiKey: service.managementKey, serverURL: service.url })
    const report = { generationId, category: 'incorrect_response', comment: 'Rome is not in France' } as const
    const sent = await sdk.generations.submitFeedback({ submitGenerationFeedbackRequest: report })
    assert.deepEqual(sent, { data: { success: true } })
    assert.equal((await sdk.generations.getGeneration({ id: generationId })).data.id, generationId)
    const { feedback } = (await service.ask('GET', `/generation?id=${generationId}`)).body.data
    assert.deepEqual(
      feedback.map((one: any) => [one.category, one.comment]),
      [['incorrect_response', 'Rome is not in France']],
    )
    const unknown = { ...report, generationId: 'gen-none' }
    await assert.rejects(sdk.generations.submitFeedback({ submitGenerationFeedbackRequest: unknown }), {
      name: 'NotFoundResponseError',
    })
    const wrong = { generation_id: generationId, category: 'anger' }
    assert.equal((await service.ask('POST', '/generation/feedback', { body: wrong })).status, 400)
  })
})
