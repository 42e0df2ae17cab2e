import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OpenRouter } from '@openrouter/sdk'
import { onEachDatabase } from '#test/harness/database/databases.ts'
import { startTestService, type TestService } from '#test/harness/service/service.ts'

const path = '/workspaces/default/members'

async function addPerson(service: TestService, name: string, more: object = {}): Promise<string> {
  const person = { email: `${name}@example.com`, name, ...more }
  const { status, body, text } = await service.manage('POST', '/organization/members', person)
  assert.equal(status, 201, text)
  return body.data.id
}

const membersOf = async (service: TestService, workspace: string) => {
  const { body } = await service.manage('GET', `/workspaces/${workspace}/members`)
  return body.data.map(({ name, access }: { name: string; access: string }) => `${name} ${access}`)
}

onEachDatabase('members of a workspace', (kind) => {
  test('the official SDK adds, lists and removes members', async () => {
    await using service = await startTestService({ kind })
    const userId = await addPerson(service, 'ada', { workspaces: [] })
    const sdk = new OpenRouter({ apiKey: service.managementKey, serverURL: service.url })
    const id = 'default'
    const added = await sdk.workspaces.bulkAddMembers({ id, bulkAddWorkspaceMembersRequest: { userIds: [userId] } })
    assert.deepEqual([added.addedCount, added.data[0]?.userId, added.data[0]?.role], [1, userId, 'member'])
    const { result } = await sdk.workspaces.listMembers({ id })
    assert.deepEqual(
      result.data.map((member) => member.userId),
      [userId],
    )
    const request = { id, bulkRemoveWorkspaceMembersRequest: { userIds: [userId] } }
    assert.equal((await sdk.workspaces.bulkRemoveMembers(request)).removedCount, 1)
    assert.equal((await sdk.workspaces.listMembers({ id })).result.totalCount, 0)
  })

  test('a new member joins the named workspaces, or that of the calling key', async () => {
    await using service = await startTestService({ kind })
    await service.manage('POST', '/workspaces', { name: 'Search', slug: 'search' })
    await addPerson(service, 'ada')
    await addPerson(service, 'grace', { access: 'viewer', workspaces: [{ workspace: 'search', access: 'admin' }] })
    assert.deepEqual(await membersOf(service, 'default'), ['ada developer'])
    assert.deepEqual(await membersOf(service, 'search'), ['grace admin'])
    const wrong = { email: 'x@example.com', name: 'x', workspaces: [{ workspace: 'nope' }] }
    assert.equal((await service.manage('POST', '/organization/members', wrong)).status, 400)
  })

  test('adding a member again changes the role, and both are in the audit log', async () => {
    await using service = await startTestService({ kind })
    await addPerson(service, 'ada')
    const add = { user_ids: ['ada@example.com'], access: 'admin' }
    assert.equal((await service.manage('POST', `${path}/add`, add)).body.data[0].role, 'admin')
    assert.equal((await service.manage('POST', `${path}/remove`, { user_ids: add.user_ids })).body.removed_count, 1)
    const { data } = (await service.manage('GET', '/audit?target_kind=workspace')).body
    assert.deepEqual(
      data.map(({ action, before, after }: any) => [action, before?.access, after?.access]),
      [
        ['workspace.member_removed', 'admin', undefined],
        ['workspace.member_updated', 'developer', 'admin'],
        ['workspace.member_added', undefined, 'developer'],
      ],
    )
  })

  test('a member with enabled keys is removed only together with the keys', async () => {
    await using service = await startTestService({ kind })
    const userId = await addPerson(service, 'ada')
    const { key } = (await service.manage('POST', '/keys', { name: 'k', creator_user_id: userId })).body
    const refused = await service.manage('POST', `${path}/remove`, { user_ids: [userId] })
    assert.equal(refused.status, 400)
    assert.match(refused.body.error.message, /ada@example.com has 1 enabled key/)
    assert.equal((await service.ask('GET', '/key', { key })).status, 200)
    const body = { user_ids: [userId], disable_keys: true }
    assert.deepEqual((await service.manage('POST', `${path}/remove`, body)).body, { removed_count: 1 })
    assert.equal((await service.ask('GET', '/key', { key })).status, 401)
  })

  test('an unknown member or workspace changes nothing', async () => {
    await using service = await startTestService({ kind })
    const userId = await addPerson(service, 'ada', { workspaces: [] })
    const body = { user_ids: [userId, 'nobody@example.com'] }
    const { status, body: response } = await service.manage('POST', `${path}/add`, body)
    assert.deepEqual([status, /nobody@example.com/.test(response.error.message)], [400, true])
    assert.deepEqual(await membersOf(service, 'default'), [])
    assert.equal((await service.manage('POST', '/workspaces/nope/members/add', { user_ids: [userId] })).status, 404)
  })

  test('a member who leaves the organization leaves its workspaces too', async () => {
    await using service = await startTestService({ kind })
    const userId = await addPerson(service, 'ada')
    await service.manage('DELETE', `/organization/members/${userId}`)
    await addPerson(service, 'ada', { workspaces: [] })
    assert.deepEqual(await membersOf(service, 'default'), [])
  })
})
