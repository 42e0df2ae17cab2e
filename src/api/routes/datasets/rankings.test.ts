import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OpenRouter } from '@openrouter/sdk'
import { onEachDatabase } from '#test/harness/database/databases.ts'
import { startTestService } from '#test/harness/service/service.ts'
import { untilMetered } from '#test/harness/service/world/generation-record.ts'

onEachDatabase('@openrouter/sdk, rankings', (kind) => {
  test('models are ranked by the tokens of the own requests', async () => {
    await using service = await startTestService({ kind })
    const body = { model: 'signalbox/demo', messages: [{ role: 'user', content: 'Hi' }] }
    const { headers } = await service.ask('POST', '/chat/completions', { body })
    const { tokens_prompt, tokens_completion } = await untilMetered(service, headers.get('x-generation-id'))
    const client = new OpenRouter({ apiKey: service.managementKey, serverURL: service.url })
    for (const period of ['day', 'week', 'month'] as const) {
      const { data, meta } = await client.datasets.getRankingsDaily({ period })
      assert.deepEqual(
        data.map(({ modelPermaslug, totalTokens }) => [modelPermaslug, totalTokens]),
        [['signalbox/demo', String(tokens_prompt + tokens_completion)]],
      )
      assert.equal(meta.version, 'v1')
    }
    const early = await client.datasets.getRankingsDaily({ startDate: '2020-01-01', endDate: '2020-01-02' })
    assert.deepEqual(early.data, [])
    await assert.rejects(client.datasets.getRankingsDaily({ modality: 'image' }), { name: 'BadRequestResponseError' })
  })
})

test('queries of one key wait for each other, and too many are refused', async () => {
  await using service = await startTestService()
  const responses = await Promise.all(Array.from({ length: 60 }, () => service.ask('GET', '/datasets/rankings-daily')))
  const refused = responses.filter(({ status }) => status === 429)
  assert.ok(refused.length > 0, 'none was refused')
  assert.equal(refused[0]?.headers.get('retry-after'), '5')
})
