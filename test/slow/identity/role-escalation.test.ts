import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onOneDatabase } from '../../harness/database/databases.ts'
import { type Browser, openBrowser } from '../../harness/service/browser-client.ts'
import { startTestService, type TestService } from '../../harness/service/service.ts'
import { until } from '../../harness/until.ts'

async function memberWith(service: TestService, access: string) {
  const person = { email: `${access}@example.com`, name: access, access }
  const { body } = await service.manage('POST', '/organization/members', person)
  return body.data as { id: string; role: string; access: string }
}

async function signedIn(service: TestService, access: string): Promise<Browser & { id: string }> {
  const { id } = await memberWith(service, access)
  const { body } = await service.manage('POST', '/sessions/links', { user_id: id })
  return { ...(await openBrowser(service, { link: body.data.token })), id }
}

const owner = async (service: TestService) => (await service.manage('GET', '/organization/members')).body.data[0]
const request = { model: 'signalbox/demo', messages: [{ role: 'user', content: 'Hello' }] }

onOneDatabase('roles of members', (kind) => {
  test('the role of a member is returned in `role` and `access`; either changes it', async () => {
    await using service = await startTestService({ kind })
    const { role, access } = await owner(service)
    assert.deepEqual([role, access], ['org:admin', 'owner'])
    const ada = await memberWith(service, 'viewer')
    assert.deepEqual([ada.role, ada.access], ['org:member', 'viewer'])
    const change = async (patch: object) => {
      const { status, body } = await service.manage('PATCH', `/organization/members/${ada.id}`, patch)
      return status === 200 ? [body.data.role, body.data.access] : [status, body.error.message]
    }
    assert.deepEqual(await change({ role: 'org:member' }), ['org:member', 'viewer'])
    assert.deepEqual(await change({ role: 'org:admin' }), ['org:admin', 'admin'])
    assert.deepEqual(await change({ role: 'org:member' }), ['org:member', 'member'])
    assert.deepEqual(await change({ access: 'owner' }), ['org:admin', 'owner'])
    assert.deepEqual(await change({ access: 'developer', role: 'org:member' }), ['org:member', 'developer'])
    const [status, message] = await change({ access: 'viewer', role: 'org:admin' })
    assert.equal(status, 400)
    assert.match(message, /role: "org:admin" contradicts access/)
  })

  test('an admin cannot become or sign in as an owner', async () => {
    await using service = await startTestService({ kind })
    const admin = await signedIn(service, 'admin')
    const { id: first } = await owner(service)
    const members = '/organization/members'
    const { hash } = (await service.manage('GET', '/key')).body.data
    const attempts: [string, string, unknown?][] = [
      ['PATCH', `${members}/${admin.id}`, { access: 'owner' }],
      ['POST', members, { email: 'new@example.com', name: 'New', access: 'owner' }],
      ['PATCH', `${members}/${first}`, { access: 'admin' }],
      ['PATCH', `${members}/${first}`, { email: 'mallory@example.com' }],
      ['DELETE', `${members}/${first}`],
      ['POST', '/sessions/links', { user_id: first }],
      ['POST', '/sessions/links', { user_id: 'owner@localhost' }],
      ['POST', '/keys', { name: 'x', kind: 'management' }],
      ['POST', '/keys', { name: 'x', creator_user_id: first }],
      ['PATCH', `/keys/${hash}`, { disabled: true }],
      ['DELETE', `/keys/${hash}`],
    ]
    for (const [method, path, body] of attempts) {
      const { status, text } = await admin.ask(method, path, { body })
      assert.deepEqual([status, /[Oo]nly an owner/.test(text)], [403, true], `${method} ${path} ${text}`)
    }
    assert.equal(
      (await admin.ask('POST', members, { body: { email: 'b@example.com', name: 'B', access: 'admin' } })).status,
      201,
    )
    const root = await openBrowser(service, { key: service.managementKey })
    assert.equal((await root.ask('PATCH', `${members}/${admin.id}`, { body: { access: 'owner' } })).status, 200)
    assert.equal((await admin.ask('POST', '/keys', { body: { name: 'x', kind: 'management' } })).status, 201)
  })

  test('a developer manages only their own keys, and cannot undo restrictions', async () => {
    await using service = await startTestService({ kind })
    const developer = await signedIn(service, 'developer')
    const { id: first } = await owner(service)
    const other = (await service.manage('POST', '/workspaces', { name: 'Other', slug: 'other' })).body.data.id
    const created = await developer.ask('POST', '/keys', { body: { name: 'mine' } })
    assert.deepEqual([created.status, created.body.data.creator_user_id], [201, developer.id])
    const listed = (await developer.ask('GET', '/keys?include_disabled=true')).body
    assert.deepEqual(listed.data.map(({ name }: { name: string }) => name).sort(), ['Console', 'mine'])
    assert.equal(listed.total_count, 2)
    for (const body of [
      { name: 'x', kind: 'management' },
      { name: 'x', creator_user_id: first },
      { name: 'x', creator_user_id: 'owner@localhost' },
      { name: 'x', workspace_id: other },
    ])
      assert.equal((await developer.ask('POST', '/keys', { body })).status, 403, JSON.stringify(body))
    const theirs = (await service.manage('GET', '/keys')).body.data.find(({ name }: any) => name === 'First API key')
    for (const [method, body] of [['GET'], ['PATCH', { name: 'x' }], ['DELETE']] as const)
      assert.equal((await developer.ask(method, `/keys/${theirs.hash}`, { body })).status, 404, method)
    const path = `/keys/${created.body.data.hash}`
    await service.manage('PATCH', path, { limit: 5 })
    for (const body of [{ limit: 50 }, { limit: null }, { expires_at: null }, { interns_grant: true }])
      assert.equal((await developer.ask('PATCH', path, { body })).status, 403, JSON.stringify(body))
    assert.equal((await developer.ask('PATCH', path, { body: { name: 'renamed', disabled: true } })).status, 200)
    for (const [method, body] of [['PATCH', { disabled: false }], ['DELETE']] as const)
      assert.equal((await developer.ask(method, path, { body })).status, 403, method)
  })

  test('a developer sees only the requests made with their keys', async () => {
    await using service = await startTestService({ kind })
    const developer = await signedIn(service, 'developer')
    const { key } = (await developer.ask('POST', '/keys', { body: { name: 'mine' } })).body
    const foreign = (await service.ask('POST', '/chat/completions', { body: request })).headers.get('x-generation-id')
    const own = [
      (await developer.ask('POST', '/chat/completions', { body: request })).headers.get('x-generation-id'),
      (await service.ask('POST', '/chat/completions', { key, body: request })).headers.get('x-generation-id'),
    ].sort()
    await until(async () => (await service.manage('GET', '/generations')).body.data.length === 3)
    const idsOf = ({ body }: { body: any }) => body.data.map(({ id }: { id: string }) => id).sort()
    assert.deepEqual(idsOf(await developer.ask('GET', '/generations')), own)
    assert.deepEqual(idsOf(await service.ask('GET', '/generations', { key })), own)
    assert.equal(idsOf(await service.ask('GET', '/generations')).length, 3)
    const body = { metrics: ['request_count'], dimensions: ['user'] }
    await until(async () => {
      const { data } = (await developer.ask('POST', '/analytics/query', { body })).body.data
      return data.length === 1 && Number(data[0].request_count) === 2 && data[0].ids.user === developer.id
    })
    assert.equal((await developer.ask('GET', `/generation?id=${foreign}`)).status, 404)
    assert.equal((await service.ask('GET', `/generation?id=${foreign}`, { key })).status, 404)
    const { id: first } = await owner(service)
    await until(async () => {
      const sums = (await developer.ask('GET', `/activity?group_by=member&user_id=${first}`)).body.data
      return sums.length === 1 && sums[0].user_id === developer.id && sums[0].requests === 2
    })
  })

  test('a viewer sees all, and changes and uses nothing, be it by a key that was theirs', async () => {
    await using service = await startTestService({ kind })
    const viewer = await signedIn(service, 'viewer')
    const foreign = (await service.ask('POST', '/chat/completions', { body: request })).headers.get('x-generation-id')
    await until(async () => (await viewer.ask('GET', `/generation?id=${foreign}`)).status === 200)
    assert.equal((await viewer.ask('GET', '/keys')).body.total_count, 3)
    const { body } = await service.manage('POST', '/keys', { name: 'theirs', creator_user_id: viewer.id })
    // A cached key uses a shorter path.
    assert.equal((await service.ask('GET', '/key', { key: body.key })).status, 200)
    const refused = await service.ask('POST', '/chat/completions', { key: body.key, body: request })
    assert.equal(refused.status, 403)
    assert.match(refused.body.error.message, /Viewers have read access only/)
    const pasted = await openBrowser(service, { key: body.key })
    assert.equal(pasted.session.role, 'viewer')
    assert.equal((await pasted.ask('POST', '/chat/completions', { body: request })).status, 403)
    assert.deepEqual((await viewer.ask('GET', '/sessions')).body.data.length, 2)
  })

  test('a role that changes holds at once, in sessions that are open and for keys', async () => {
    await using service = await startTestService({ kind })
    const ada = await signedIn(service, 'admin')
    const { key } = (await service.manage('POST', '/keys', { name: 'k', creator_user_id: ada.id })).body
    const path = `/organization/members/${ada.id}`
    assert.equal((await ada.ask('GET', '/audit')).status, 200)
    await service.manage('PATCH', path, { access: 'developer' })
    assert.equal((await ada.ask('GET', '/audit')).status, 403)
    assert.equal((await ada.ask('GET', '/sessions/current')).body.data.role, 'developer')
    assert.equal((await service.ask('POST', '/chat/completions', { key, body: request })).status, 200)
    await service.manage('PATCH', path, { access: 'viewer' })
    assert.equal((await service.ask('POST', '/chat/completions', { key, body: request })).status, 403)
    assert.equal((await ada.ask('GET', '/audit')).status, 200)
    assert.equal((await ada.ask('PATCH', path, { body: { access: 'admin' } })).status, 403)
  })
})
