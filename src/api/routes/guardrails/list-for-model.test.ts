import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '#test/harness/database/databases.ts'
import { startTestService } from '#test/harness/service/service.ts'

const path = '/models/signalbox/demo/guardrails'

onEachDatabase('GET /models/{author}/{slug}/guardrails', (kind) => {
  test('returns for managers the forbidding rule and endpoints of each guardrail', async () => {
    await using service = await startTestService({ kind })
    const made = async (policy: object) => {
      const { body } = await service.manage('POST', '/guardrails', {
        name: Object.keys(policy)[0] ?? 'none',
        ...policy,
      })
      return body.data.id
    }
    const ids = [
      await made({}),
      await made({ ignored_models: ['signalbox/demo'] }),
      await made({ ignored_providers: ['signalbox'] }),
    ]
    const { body } = await service.manage('GET', `${path}?limit=100`)
    const results = ids.map((id) => {
      const { rule, endpoints, is_allowed } = body.data.find((one: any) => one.guardrail_id === id)
      return [rule, endpoints.map((one: any) => one.rule), is_allowed]
    })
    assert.deepEqual(results, [
      [null, [], true],
      ['ignored_models', [], false],
      [null, ['ignored_providers'], false],
    ])
    assert.equal((await service.manage('GET', `${path}?limit=1&offset=1`)).body.data.length, 1)
    assert.equal((await service.manage('GET', '/models/nobody/knows/guardrails')).status, 404)
  })

  test('returns for other keys only the guardrails that apply to them', async () => {
    await using service = await startTestService({ kind })
    const own = { name: 'Mine', ignored_models: ['signalbox/demo'] }
    const { id } = (await service.manage('POST', '/guardrails', own)).body.data
    assert.deepEqual((await service.ask('GET', path)).body, { data: [], total_count: 0 })
    const { hash } = (await service.ask('GET', '/key')).body.data
    await service.manage('POST', `/guardrails/${id}/assignments/keys`, { key_hashes: [hash] })
    const { data } = (await service.ask('GET', path)).body
    assert.deepEqual(
      data.map(({ guardrail_name, rule }: any) => [guardrail_name, rule]),
      [['Mine', 'ignored_models']],
    )
  })
})
