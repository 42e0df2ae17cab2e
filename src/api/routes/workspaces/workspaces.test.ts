import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '#test/harness/database/databases.ts'
import { startTestService, type TestService } from '#test/harness/service/service.ts'

async function newWorkspace(service: TestService, body: object = {}) {
  const response = await service.manage('POST', '/workspaces', { name: 'Research', slug: 'research', ...body })
  assert.equal(response.status, 201, response.text)
  return response.body.data
}

onEachDatabase('workspaces', (kind) => {
  test('a new workspace has a default guardrail id and separate keys', async () => {
    await using service = await startTestService({ kind })
    const workspace = await newWorkspace(service)
    assert.match(workspace.default_guardrail_id, /^[0-9a-f-]{36}$/)
    const created = await service.manage('POST', '/keys', { name: 'n', workspace_id: workspace.id })
    const own = await service.manage('GET', `/keys?workspace_id=${workspace.id}`)
    const others = await service.manage('GET', '/keys')
    assert.deepEqual(own.body.data, [created.body.data])
    assert.ok(!others.text.includes(created.body.data.hash))
  })

  test('a workspace is found by id and by slug', async () => {
    await using service = await startTestService({ kind })
    const workspace = await newWorkspace(service)
    for (const name of [workspace.id, 'research']) {
      assert.deepEqual((await service.manage('GET', `/workspaces/${name}`)).body.data, workspace)
    }
  })

  test('a slug in use is a conflict, and a slug equal to another id hides nothing', async () => {
    await using service = await startTestService({ kind })
    const workspace = await newWorkspace(service)
    assert.equal((await service.manage('POST', '/workspaces', { name: 'n', slug: 'research' })).status, 409)
    assert.equal((await service.manage('PATCH', '/workspaces/default', { slug: 'research' })).status, 409)
    await newWorkspace(service, { slug: workspace.id })
    assert.deepEqual((await service.manage('GET', `/workspaces/${workspace.id}`)).body.data, workspace)
  })

  test('a change keeps omitted fields', async () => {
    await using service = await startTestService({ kind })
    const workspace = await newWorkspace(service, { description: 'What for' })
    const { body } = await service.manage('PATCH', '/workspaces/research', { name: 'Renamed' })
    assert.deepEqual({ ...body.data, updated_at: workspace.updated_at }, { ...workspace, name: 'Renamed' })
  })

  test('a workspace with keys cannot be deleted; else its presets are deleted too', async () => {
    await using service = await startTestService({ kind })
    const workspace = await newWorkspace(service)
    const created = await service.manage('POST', '/keys', { name: 'n', kind: 'management', workspace_id: workspace.id })
    await service.ask('POST', '/presets/p/responses', { key: created.body.key, body: { instructions: 'Be brief.' } })
    const refused = await service.manage('DELETE', '/workspaces/research')
    assert.deepEqual(
      [refused.status, refused.body.error.message],
      [409, 'The workspace still has 1 enabled key. Disable or delete them first.'],
    )
    await service.manage('DELETE', `/keys/${created.body.data.hash}`)
    assert.deepEqual((await service.manage('DELETE', '/workspaces/research')).body, { deleted: true })
    assert.equal((await service.manage('GET', '/workspaces')).body.total_count, 1)
  })

  test('every change of a workspace is recorded', async () => {
    await using service = await startTestService({ kind })
    const { id } = await newWorkspace(service)
    await service.manage('PATCH', `/workspaces/${id}`, { name: 'Renamed' })
    await service.manage('PATCH', `/workspaces/${id}`, { name: 'Renamed' })
    await service.manage('DELETE', `/workspaces/${id}`)
    const { body } = await service.manage('GET', `/audit?target_kind=workspace&target_id=${id}`)
    assert.deepEqual(
      body.data.map((event: any) => event.action),
      ['workspace.deleted', 'workspace.updated', 'workspace.created'],
    )
  })
})

test('invalid bodies of POST /workspaces', async (t) => {
  await using service = await startTestService()
  const bad: [what: string, body: object, says: RegExp][] = [
    ['no slug', { slug: undefined }, /slug/],
    ['no name', { name: undefined }, /name/],
    ['an empty name', { name: '' }, /name/],
    ['capitals in the slug', { slug: 'Research' }, /slug: expected lowercase letters/],
    ['a hyphen at the end', { slug: 'research-' }, /slug/],
    ['a slug of 65', { slug: 's'.repeat(65) }, /slug/],
    ['a description of 1001', { description: 'd'.repeat(1001) }, /description/],
  ]
  for (const [what, body, says] of bad) {
    await t.test(what, async () => {
      const response = await service.manage('POST', '/workspaces', { name: 'n', slug: 's', ...body })
      assert.equal(response.status, 400)
      assert.match(response.body.error.message, says)
    })
  }
})

test('a workspace is named by its slug wherever one is named', async () => {
  await using service = await startTestService()
  const { id } = (await service.manage('POST', '/workspaces', { name: 'Research', slug: 'research' })).body.data
  const workspace_id = 'research'
  const key = (await service.manage('POST', '/keys', { name: 'lab', workspace_id })).body
  assert.equal(key.data.workspace_id, id)
  assert.equal((await service.manage('GET', '/keys?workspace_id=research')).body.data[0].name, 'lab')
  const guardrail = (await service.manage('POST', '/guardrails', { name: 'g', workspace_id })).body.data
  assert.equal(guardrail.workspace_id, id)
  assert.equal((await service.manage('GET', '/guardrails?workspace_id=research')).body.total_count, 1)
  const credential = { provider: 'openai', key: 'sk-of-a-test-123456', workspace_id }
  assert.equal((await service.manage('POST', '/byok', credential)).body.data.workspace_id, id)
  assert.equal((await service.manage('GET', '/byok?workspace_id=research')).body.total_count, 1)
  const ask = (method: string, path: string, body?: unknown) => service.ask(method, path, { key: key.key, body })
  assert.equal((await ask('POST', '/interns', { name: 'helper', workspace_id })).body.workspace_id, id)
  assert.equal((await ask('GET', '/interns?workspace_id=research')).body.data.length, 1)
  assert.equal((await service.manage('GET', '/keys?workspace_id=nowhere')).status, 400)
})

test('a disabled key is deleted with its workspace, and its record remains', async () => {
  await using service = await startTestService()
  await service.manage('POST', '/workspaces', { name: 'Research', slug: 'research' })
  const ada = { email: 'ada@example.com', name: 'Ada', workspaces: [{ workspace: 'research' }] }
  const { id } = (await service.manage('POST', '/organization/members', ada)).body.data
  const newKey = { name: 'laptop', workspace_id: 'research', creator_user_id: id }
  const { hash } = (await service.manage('POST', '/keys', newKey)).body.data
  const refused = await service.manage('DELETE', '/workspaces/research')
  assert.match(refused.body.error.message, /still has 1 enabled key\. Disable or delete them first/)
  await service.manage('DELETE', `/organization/members/${id}?disable_keys=true`)
  assert.equal((await service.manage('DELETE', '/workspaces/research')).status, 200)
  const [record] = (await service.manage('GET', `/audit?target_id=${hash}`)).body.data
  assert.equal(record.action, 'key.deleted')
})
