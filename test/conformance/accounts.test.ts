import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OpenRouter } from '@openrouter/sdk'
import { startTestService, type TestService } from '../harness/service/service.ts'

/** The official client, validating every response against its own schemas. */
function findClient(service: TestService, apiKey = service.managementKey): OpenRouter {
  return new OpenRouter({ apiKey, serverURL: service.url, retryConfig: { strategy: 'none' } })
}

test('apiKeys: make, list, get, update, delete', async () => {
  await using service = await startTestService()
  const { apiKeys } = findClient(service)
  const expiresAt = new Date(Date.now() + 86_400_000)
  const created = await apiKeys.create({
    requestBody: {
      name: 'ci',
      limit: 12.5,
      limitReset: 'monthly',
      includeByokInLimit: true,
      expiresAt,
      external: { user: 'u-1' },
    },
  })
  assert.deepEqual([created.data.limit, created.data.limitRemaining, created.data.externalUser], [12.5, 12.5, 'u-1'])
  assert.equal(created.data.expiresAt?.getTime(), expiresAt.getTime())

  const { hash } = created.data
  assert.deepEqual((await apiKeys.get({ hash })).data, created.data)
  const updated = await apiKeys.update({
    hash,
    requestBody: { name: 'renamed', disabled: true, limit: null, limitReset: null },
  })
  assert.deepEqual([updated.data.name, updated.data.disabled, updated.data.limit], ['renamed', true, null])

  assert.equal((await apiKeys.list()).data.length, 2)
  assert.equal((await apiKeys.list({ includeDisabled: true, offset: 0 })).data.length, 3)
  assert.equal((await apiKeys.list({ offset: null, workspaceId: created.data.workspaceId })).data.length, 2)
  assert.deepEqual(await apiKeys.delete({ hash }), { deleted: true })
})

test('apiKeys: the calling key', async () => {
  await using service = await startTestService()
  const management = await findClient(service).apiKeys.getCurrentKeyMetadata()
  const ordinary = await findClient(service, service.apiKey).apiKeys.getCurrentKeyMetadata()
  assert.deepEqual([management.data.isManagementKey, ordinary.data.isManagementKey], [true, false])
  assert.equal(typeof management.data.organizationId, 'string')
})

test('apiKeys: refusals are the errors the client knows', async () => {
  await using service = await startTestService()
  const { apiKeys } = findClient(service)
  const named = (name: string) => (error: Error) => error.constructor.name === name
  await assert.rejects(apiKeys.get({ hash: 'unknown' }), named('NotFoundResponseError'))
  await assert.rejects(apiKeys.create({ requestBody: { name: '' } }), named('BadRequestResponseError'))
  await assert.rejects(findClient(service, 'nonsense').apiKeys.list(), named('UnauthorizedResponseError'))
})

test('workspaces: make, list, get, update, delete', async () => {
  await using service = await startTestService()
  const { workspaces } = findClient(service)
  const { data } = await workspaces.create({
    createWorkspaceRequest: { name: 'Research', slug: 'research', description: 'What for' },
  })
  assert.deepEqual((await workspaces.get({ id: data.id })).data, data)
  assert.deepEqual((await workspaces.get({ id: 'research' })).data, data)
  const updated = await workspaces.update({
    id: data.id,
    updateWorkspaceRequest: { name: 'Renamed', description: null },
  })
  assert.deepEqual([updated.data.name, updated.data.description], ['Renamed', null])
  const slugs: string[] = []
  for await (const { result } of await workspaces.list({ limit: 1 })) slugs.push(...result.data.map(({ slug }) => slug))
  assert.deepEqual(slugs, ['default', 'research'])
  assert.deepEqual(await workspaces.delete({ id: data.id }), { deleted: true })
})

test('organization: the members', async () => {
  await using service = await startTestService()
  const emails: string[] = []
  for await (const { result } of await findClient(service).organization.listMembers({ limit: 1 })) {
    emails.push(...result.data.map(({ email }) => email))
  }
  assert.deepEqual(emails, ['owner@localhost'])
})

test('workspaces: set, get, list and delete budgets', async () => {
  await using service = await startTestService()
  const { workspaces } = findClient(service)
  const workspaceRef = 'default'
  const { data, includeByokInBudgets } = await workspaces.setBudget({
    ...{ workspaceRef, interval: 'monthly' },
    upsertWorkspaceBudgetRequest: { limitUsd: 50, includeByokInBudgets: true },
  })
  assert.deepEqual([data.limitUsd, data.resetInterval, includeByokInBudgets], [50, 'monthly', true])
  const upsertWorkspaceBudgetRequest = { limitUsd: 500 }
  const lifetime = await workspaces.setBudget({ workspaceRef, interval: 'lifetime', upsertWorkspaceBudgetRequest })
  assert.deepEqual([lifetime.data.resetInterval, lifetime.includeByokInBudgets], [null, true])
  assert.deepEqual((await workspaces.getBudget({ workspaceRef, interval: 'monthly' })).data, data)
  const listed = await workspaces.listBudgets({ workspaceRef })
  assert.deepEqual(
    listed.data.map(({ limitUsd }) => limitUsd),
    [50, 500],
  )
  assert.deepEqual(await workspaces.deleteBudget({ workspaceRef, interval: 'monthly' }), { deleted: true })
  await assert.rejects(workspaces.getBudget({ workspaceRef, interval: 'monthly' }), { statusCode: 404 })
})
