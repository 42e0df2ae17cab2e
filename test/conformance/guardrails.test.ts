import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { OpenRouter } from '@openrouter/sdk'
import { startTestService, type TestService } from '#test/harness/service/service.ts'

describe('@openrouter/sdk, guardrails', () => {
  let service: TestService
  let guardrails: OpenRouter['guardrails']
  let home: { id: string; default_guardrail_id: string }
  const clientFor = (apiKey: string) =>
    new OpenRouter({ apiKey, serverURL: service.url, retryConfig: { strategy: 'none' } }).guardrails
  before(async () => {
    service = await startTestService()
    guardrails = clientFor(service.managementKey)
    home = (await service.manage('GET', '/workspaces')).body.data[0]
  })
  after(() => service[Symbol.asyncDispose]())

  const newGuardrail = async (name: string) => (await guardrails.create({ createGuardrailRequest: { name } })).data.id
  const keyHash = async () => (await service.manage('GET', '/keys')).body.data[0].hash
  const userId = async () => (await service.manage('GET', '/organization/members')).body.data[0].id

  test('create: every field that the SDK knows', async () => {
    const { data } = await guardrails.create({
      createGuardrailRequest: {
        ...{ name: 'Everything', description: 'Every field', workspaceId: home.id },
        ...{ limitUsd: 12.5, resetInterval: 'monthly', includeByokInBudgets: true },
        allowedDataRegions: ['europe', 'us'],
        allowedModels: ['signalbox/demo'],
        ignoredModels: ['signalbox/demo'],
        allowedProviders: ['anthropic'],
        ignoredProviders: ['openai'],
        contentFilterBuiltins: [
          { slug: 'email', action: 'redact' },
          { slug: 'regex-prompt-injection', action: 'block', scanScope: 'user_only' },
        ],
        contentFilters: [{ pattern: '(?i)secret', action: 'redact', label: '[HUSH]' }],
        ...{ enableFreeModelPublication: false, enableFreeModelTraining: false, enablePaidModelTraining: true },
        ...{ enforceZdr: true, enforceZdrAnthropic: false, enforceZdrXai: null },
      },
    })
    assert.deepEqual([data.name, data.limitUsd, data.resetInterval], ['Everything', 12.5, 'monthly'])
    assert.deepEqual(data.contentFilterBuiltins?.[1], {
      ...{ action: 'block', label: '[PROMPT_INJECTION]', scanScope: 'user_only', slug: 'regex-prompt-injection' },
    })
    const zdr = [data.enforceZdrAnthropic, data.enforceZdrGoogle, data.enforceZdrXai, data.enforceZdrOther]
    assert.deepEqual(zdr, [false, true, null, true])
  })

  test('create, get, update, delete', async () => {
    const id = await newGuardrail('Short life')
    const { data } = await guardrails.update({ id, updateGuardrailRequest: { limitUsd: 3, description: null } })
    assert.deepEqual((await guardrails.get({ id })).data, data)
    assert.deepEqual(await guardrails.delete({ id }), { deleted: true })
    await assert.rejects(guardrails.get({ id }), { name: 'NotFoundResponseError', statusCode: 404 })
  })

  test('update: creates the default of a workspace', async () => {
    const id = home.default_guardrail_id
    const { data } = await guardrails.update({ id, updateGuardrailRequest: { allowedDataRegions: ['us'] } })
    assert.deepEqual([data.id, data.workspaceId, data.allowedDataRegions], [id, home.id, ['us']])
  })

  test('list: page after page, and of one workspace', async () => {
    for (const name of ['One', 'Two', 'Three']) await newGuardrail(name)
    const seen: string[] = []
    for await (const page of await guardrails.list({ limit: 2, workspaceId: home.id })) {
      seen.push(...page.result.data.map((guardrail) => guardrail.name))
    }
    const { result } = await firstPage(guardrails.list())
    assert.equal(seen.length, result.totalCount)
    assert.ok(seen.includes('One') && seen.includes('Three'))
  })

  test('keys are assigned to a guardrail in bulk, listed and unassigned', async () => {
    const [id, hash] = [await newGuardrail('For keys'), await keyHash()]
    const bulkAssignKeysRequest = { keyHashes: [hash] }
    assert.deepEqual(await guardrails.bulkAssignKeys({ id, bulkAssignKeysRequest }), { assignedCount: 1 })
    for (const list of [guardrails.listGuardrailKeyAssignments({ id }), guardrails.listKeyAssignments()]) {
      const { result } = await firstPage(list)
      assert.deepEqual([result.totalCount, result.data[0]?.keyHash, result.data[0]?.guardrailId], [1, hash, id])
    }
    const unassign = { id, bulkUnassignKeysRequest: { keyHashes: [hash] } }
    assert.deepEqual(await guardrails.bulkUnassignKeys(unassign), { unassignedCount: 1 })
  })

  test('members are assigned to a guardrail in bulk, listed and unassigned', async () => {
    const [id, user] = [await newGuardrail('For members'), await userId()]
    const bulkAssignMembersRequest = { memberUserIds: [user] }
    assert.deepEqual(await guardrails.bulkAssignMembers({ id, bulkAssignMembersRequest }), { assignedCount: 1 })
    for (const list of [guardrails.listGuardrailMemberAssignments({ id }), guardrails.listMemberAssignments()]) {
      const { result } = await firstPage(list)
      assert.deepEqual([result.totalCount, result.data[0]?.userId, result.data[0]?.guardrailId], [1, user, id])
    }
    const unassign = { id, bulkUnassignMembersRequest: { memberUserIds: [user] } }
    assert.deepEqual(await guardrails.bulkUnassignMembers(unassign), { unassignedCount: 1 })
  })

  test('each refusal is the error that the SDK knows by its status', async () => {
    const id = await newGuardrail('Refusing')
    const update = (name: string) => guardrails.update({ id, updateGuardrailRequest: { name } })
    await assert.rejects(update(''), { name: 'BadRequestResponseError', statusCode: 400 })
    await newGuardrail('Taken')
    await assert.rejects(update('Taken'), { name: 'ConflictResponseError', statusCode: 409 })
    const ordinary = clientFor(service.apiKey)
    await assert.rejects(ordinary.get({ id }), { name: 'UnauthorizedResponseError', statusCode: 401 })
    const unknown = { id: 'unknown', updateGuardrailRequest: {} }
    await assert.rejects(guardrails.update(unknown), { name: 'NotFoundResponseError', statusCode: 404 })
  })
})

async function firstPage<Page>(list: Promise<AsyncIterable<Page>>): Promise<Page> {
  for await (const page of await list) return page
  throw new Error('The list has no page.')
}
