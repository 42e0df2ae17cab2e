import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OpenRouter } from '@openrouter/sdk'
import { startWithModels } from '#test/harness/records/model-catalogue.ts'

test('a model has scores in the format of OpenRouter, or none', async () => {
  await using service = await startWithModels({ 'a/scored': { benchmarks: { intelligence: 57.3 } }, 'a/plain': {} })
  const client = new OpenRouter({ apiKey: service.apiKey, serverURL: service.url })
  const { data } = (await service.ask('GET', '/models?q=a/')).body
  const result = Object.fromEntries(data.map(({ id, benchmarks }: any) => [id, benchmarks?.artificial_analysis]))
  assert.deepEqual(result, {
    'a/scored': { intelligence_index: 57.3, coding_index: null, agentic_index: null },
    'a/plain': undefined,
  })
  const listed = (await client.models.list()) as any
  const found = (listed.result ?? listed).data.find(({ id }: any) => id === 'a/scored')
  assert.equal(found.benchmarks.artificialAnalysis.intelligenceIndex, 57.3)
})

test('the official SDK lists the scores, best first, of a source and a task', async () => {
  await using service = await startWithModels({
    'a/first': { benchmarks: { intelligence: 50, coding: 20 } },
    'a/second': { benchmarks: { intelligence: 40 } },
    'a/plain': {},
  })
  const client = new OpenRouter({ apiKey: service.apiKey, serverURL: service.url })
  const slugs = async (query: object) => {
    const { data } = await client.benchmarks.getBenchmarks(query)
    return data.map((item) => ('modelPermaslug' in item ? item.modelPermaslug : ''))
  }
  const all = (await slugs({})).filter((id) => id?.startsWith('a/'))
  assert.deepEqual(all, ['a/first', 'a/second'])
  assert.ok(!(await slugs({ taskType: 'coding' })).includes('a/second'))
  assert.equal((await slugs({ maxResults: 1 })).length, 1)
  for (const none of [{ source: 'design-arena' }, { taskType: 'search' }, { benchmarkType: 'search_hle' }] as const)
    assert.deepEqual(await slugs(none), [])
})
