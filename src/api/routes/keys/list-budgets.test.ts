import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '#test/harness/database/databases.ts'
import { startTestService } from '#test/harness/service/service.ts'

onEachDatabase('budgets of a key', (kind) => {
  test('GET /keys/{hash}/budgets matches GET /key, also for a disabled key', async () => {
    await using service = await startTestService({ kind })
    await service.manage('PUT', '/organization/budgets/monthly', { limit_usd: 100 })
    await service.manage('PUT', '/workspaces/default/budgets/daily', { limit_usd: 5 })
    const { body } = await service.manage('POST', '/keys', { name: 'ci', limit: 2, limit_reset: 'weekly' })
    const path = `/keys/${body.data.hash}`
    const { budgets } = (await service.ask('GET', '/key', { key: body.key })).body.data
    const listed = await service.manage('GET', `${path}/budgets`)
    assert.deepEqual(listed.body.data, budgets)
    assert.deepEqual(
      budgets.map(({ layer, limit_usd }: { layer: string; limit_usd: number }) => [layer, limit_usd]),
      [
        ['organization', 100],
        ['workspace', 5],
        ['key_limit', 2],
      ],
    )
    await service.manage('PATCH', path, { disabled: true })
    assert.equal((await service.manage('GET', `${path}/budgets`)).body.data.length, 3)
    assert.equal((await service.manage('GET', '/keys/none/budgets')).status, 404)
  })

  test('GET /keys/{hash}/budgets lists nothing for a management key', async () => {
    await using service = await startTestService({ kind })
    await service.manage('PUT', '/organization/budgets/monthly', { limit_usd: 100 })
    const { body } = await service.manage('POST', '/keys', { name: 'ops', kind: 'management' })
    assert.deepEqual((await service.manage('GET', `/keys/${body.data.hash}/budgets`)).body, { data: [] })
  })
})
