import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OpenRouter } from '@openrouter/sdk'
import { startTestService } from '#test/harness/service/service.ts'

test('@openrouter/sdk, byok: create, list, get, update, delete', async () => {
  await using service = await startTestService()
  const { byok } = new OpenRouter({
    apiKey: service.managementKey,
    serverURL: service.url,
    retryConfig: { strategy: 'none' },
  })
  const created = await byok.create({
    createBYOKKeyRequest: { provider: 'anthropic', key: 'sk-ant-0123456789abcdef', name: 'Ours' },
  })
  assert.deepEqual(
    [created.data.provider, created.data.name, created.data.label, created.data.isFallback],
    ['anthropic', 'Ours', 'sk-…cdef', false],
  )
  const pages = []
  for await (const page of await byok.list({ provider: 'anthropic' })) pages.push(...page.result.data)
  assert.deepEqual(pages, [created.data])
  assert.deepEqual((await byok.get({ id: created.data.id })).data, created.data)
  const updateBYOKKeyRequest = { disabled: true, allowedModels: ['anthropic/claude-sonnet-4.5'] }
  const changed = await byok.update({ id: created.data.id, updateBYOKKeyRequest })
  assert.deepEqual([changed.data.disabled, changed.data.allowedModels], [true, ['anthropic/claude-sonnet-4.5']])
  assert.deepEqual(await byok.delete({ id: created.data.id }), { deleted: true })
  await assert.rejects(byok.get({ id: created.data.id }), { statusCode: 404 })
})
