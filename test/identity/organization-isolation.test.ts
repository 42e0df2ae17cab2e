import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addOrganization } from '../harness/database/organizations.ts'
import { startTestService } from '../harness/service/service.ts'

const unknown = { hash: '0'.repeat(64), id: '00000000-0000-4000-8000-000000000000' }

test("another organization's keys and workspaces are answered like unknown ones", async () => {
  await using service = await startTestService()
  const other = await addOrganization(service.testStore)
  const { hash } = (await service.ask('GET', '/key', { key: other.apiKey })).body.data
  const requests: [method: string, path: (of: typeof unknown) => string, body?: (of: typeof unknown) => object][] = [
    ['GET', ({ hash }) => `/keys/${hash}`],
    ['PATCH', ({ hash }) => `/keys/${hash}`, () => ({ disabled: true })],
    ['DELETE', ({ hash }) => `/keys/${hash}`],
    ['GET', ({ id }) => `/workspaces/${id}`],
    ['PATCH', ({ id }) => `/workspaces/${id}`, () => ({ name: 'mine' })],
    ['DELETE', ({ id }) => `/workspaces/${id}`],
    ['GET', ({ id }) => `/keys?workspace_id=${id}`],
    ['POST', () => '/keys', ({ id }) => ({ name: 'n', workspace_id: id })],
  ]
  for (const [method, path, body] of requests) {
    const foreign = { hash, id: other.workspaceId }
    const theirs = await service.manage(method, path(foreign), body?.(foreign))
    const nobodys = await service.manage(method, path(unknown), body?.(unknown))
    assert.ok([400, 404].includes(theirs.status), `${method} ${path(foreign)}`)
    assert.deepEqual([theirs.status, theirs.text], [nobodys.status, nobodys.text])
  }
  assert.equal((await service.ask('GET', '/key', { key: other.apiKey })).status, 200)
})

test('lists contain no object of another organization', async () => {
  await using service = await startTestService()
  const other = await addOrganization(service.testStore)
  for (const path of ['/keys', '/workspaces', '/organization/members', '/audit']) {
    const { text } = await service.manage('GET', path)
    assert.ok(!text.includes(other.workspaceId) && !text.includes('Other'), path)
  }
})
