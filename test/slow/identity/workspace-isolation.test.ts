/** Roles in the organization and in a workspace decide together; nothing of another workspace is reached. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { routes } from '#api/routes/routes.ts'
import { originOf, signIn } from '../../harness/service/browser-client.ts'
import { startTestService, type TestService } from '../../harness/service/service.ts'
import { until } from '../../harness/until.ts'
import { mayCall } from '../../identity/role-table.ts'

type Headers = Record<string, string>

const columns = { admin: 1, developer: 2, viewer: 3 } as const
type Role = keyof typeof columns

/** A part of the names of all objects of the other workspace. */
const marker = 'of-the-other-workspace'

async function addPerson(service: TestService, name: string, access: string, workspaces: object[]): Promise<string> {
  const person = { email: `${name}@example.com`, name, access, workspaces }
  const { status, body, text } = await service.manage('POST', '/organization/members', person)
  assert.equal(status, 201, text)
  return body.data.id
}

async function session(service: TestService, userId: string): Promise<Headers> {
  const link = (await service.manage('POST', '/sessions/links', { user_id: userId })).body.data.token
  const { headers, body } = await signIn(service, { link })
  const cookie = headers.get('set-cookie')!.split(';')[0]!
  return { cookie, origin: originOf(service), 'x-csrf-token': body.data.csrf_token }
}

type Sent = { path: string; headers: Headers; body?: object | undefined }

async function send(service: TestService, method: string, { path, headers, body }: Sent) {
  const disconnect = new AbortController()
  const response = await fetch(service.url + path, {
    method: method.toUpperCase(),
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
    signal: disconnect.signal,
  })
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
  const text = isStream ? '' : await response.text()
  disconnect.abort()
  return { status: response.status, text }
}

describe('roles in the organization and in a workspace', () => {
  let service: TestService
  before(async () => {
    service = await startTestService()
  })
  after(() => service.stop())

  const inOrganization: (Role | 'member')[] = ['viewer', 'developer', 'member']
  const inWorkspace: Role[] = ['admin', 'developer', 'viewer']
  const pairs = inOrganization.flatMap((one) => inWorkspace.map((other) => [one, other] as const))
  for (const [organization, workspace] of pairs) {
    test(`each route checks a ${organization} who is ${workspace} of the workspace`, async () => {
      const joined = [{ workspace: 'default', access: workspace }]
      const userId = await addPerson(service, `${organization}-${workspace}`, organization, joined)
      const headers = await session(service, userId)
      const wrong: string[] = []
      for (const route of routes) {
        const id = route.operationId!
        if (id.startsWith('deleteCurrent')) continue
        const own =
          route.scope === 'organization' ? (organization === 'member' ? 'developer' : organization) : workspace
        const path = route.path.replace(/\{\w+\}/g, '00000000-0000-7000-8000-000000000000')
        const body = ['get', 'delete'].includes(route.method) ? undefined : {}
        const { status } = await send(service, route.method, { path, headers, body })
        const isLetIn = ![401, 403].includes(status)
        if (isLetIn !== (mayCall[id]?.[columns[own]] !== '-')) wrong.push(`${id}: ${status}`)
      }
      assert.deepEqual(wrong, [])
    })
  }
})

/** Objects of every kind in another workspace. @returns their IDs by the names of path parameters. */
async function furnish(service: TestService): Promise<Record<string, string>> {
  const make = async (path: string, body: object) => {
    const response = await service.manage('POST', path, body)
    assert.ok(response.status < 300, `${path} ${response.text}`)
    return response.body
  }
  const { data: workspace } = await make('/workspaces', { name: marker, slug: 'other' })
  const workspace_id = workspace.id
  const owner = await session(service, (await service.manage('GET', '/organization/members')).body.data[0].id)
  const there = { ...owner, 'x-workspace': 'other' }
  const inSession = async (path: string, body: object) => {
    const response = await send(service, 'post', { path, headers: there, body })
    assert.ok(response.status < 300, `${path} ${response.text}`)
    return JSON.parse(response.text)
  }
  const { data: key, key: secret } = await make('/keys', { name: marker, workspace_id })
  const { data: guardrail } = await make('/guardrails', { name: marker, workspace_id })
  const { data: credential } = await make('/byok', {
    provider: 'openai',
    key: 'sk-1234567890',
    name: marker,
    workspace_id,
  })
  const url = `https://hooks.example.com/${marker}`
  const { data: webhook } = await make('/webhooks', { url, description: marker, workspace_id })
  await inSession(`/presets/${marker}/chat/completions`, {
    model: 'signalbox/demo',
    messages: [{ role: 'user', content: 'Hi' }],
  })
  const intern = await inSession('/interns', { name: 'eve', description: marker, visibility: 'workspace' })
  await service.manage('PUT', `/workspaces/other/budgets/daily`, { limit_usd: 5 })
  const body = { model: 'signalbox/demo', messages: [{ role: 'user', content: marker }], user: marker }
  assert.equal((await service.ask('POST', '/chat/completions', { key: secret, body })).status, 200)
  await until(async () => (await service.manage('GET', '/generations')).body.data.length > 0)
  const generation = (await service.manage('GET', '/generations')).body.data[0].id
  return {
    ...{
      workspace: workspace_id,
      hash: key.hash,
      webhookId: webhook.id,
      slug: marker,
      version: '1',
      interval: 'daily',
    },
    ...{ internId: intern.id, guardrail: guardrail.id, credential: credential.id, generation },
  }
}

test('an admin of one workspace cannot access another', async () => {
  await using service = await startTestService()
  const ids = await furnish(service)
  const userId = await addPerson(service, 'mallory', 'developer', [{ workspace: 'default', access: 'admin' }])
  const headers = await session(service, userId)
  const auditCount = async () => (await service.manage('GET', '/audit?limit=1')).body.total_count
  const stateBefore = await auditCount()
  const idFor: Record<string, string> = {
    workspaces: ids.workspace!,
    guardrails: ids.guardrail!,
    byok: ids.credential!,
  }
  const reached: string[] = []
  let tried = 0
  for (const route of routes) {
    // Changes are allowed in the workspace of the caller.
    const isOther = route.path.includes('{') && !route.path.includes('{author}')
    const isRead = route.method === 'get' || route.isRead === true
    if ((!isRead && !isOther) || route.path.startsWith('/sessions')) continue
    // A preset that is saved under a slug of another workspace is a new preset in the caller's workspace.
    if (route.path.startsWith('/presets/') && route.method === 'post') continue
    const [, top = ''] = route.path.split('/')
    const at = route.path.replace(/\{(\w+)\}/g, (_, name) => (name === 'id' && idFor[top]) || ids[name] || 'x')
    const query = `workspace_id=${ids.workspace}&api_key_hash=${ids.hash}&id=${ids.generation}&guardrail_id=${ids.guardrail}`
    const bodies = isRead && route.method === 'get' ? [undefined] : [{}, { name: 'x', workspace_id: ids.workspace }]
    const naming: Headers[] = [{}, { 'x-workspace': ids.workspace! }, { 'x-workspace': 'other' }]
    for (const named of naming)
      for (const path of [at, `${at}?${query}`])
        for (const body of bodies) {
          tried++
          const { text } = await send(service, route.method, { path, headers: { ...headers, ...named }, body })
          // A refusal repeats the name in the request, also if it does not exist.
          const isEcho = at.includes(marker)
          if (!isEcho && text.includes(marker)) reached.push(`${route.operationId} ${path} ${text.slice(0, 200)}`)
        }
  }
  assert.deepEqual(reached, [])
  assert.equal(await auditCount(), stateBefore, 'nothing was changed')
  assert.ok(tried > 400, `${tried} inputs`)
  console.log(`${tried} inputs tried, 0 through`)
})

test('an admin of a workspace creates no keys for owners and admins', async () => {
  await using service = await startTestService()
  const developer = [{ workspace: 'default', access: 'developer' }]
  const owner = (await service.manage('GET', '/organization/members')).body.data[0].id
  const admin = await addPerson(service, 'ada', 'admin', [])
  const member = await addPerson(service, 'bob', 'developer', developer)
  const userId = await addPerson(service, 'mallory', 'developer', [{ workspace: 'default', access: 'admin' }])
  const headers = await session(service, userId)
  const create = (creator_user_id: string) =>
    send(service, 'post', { path: '/keys', headers, body: { name: 'k', creator_user_id } })
  for (const [creator, status] of [
    [owner, 403],
    [admin, 403],
    [member, 201],
    [userId, 201],
  ] as const)
    assert.equal((await create(creator)).status, status)
})

test('a session acts in the workspace that it names, with the role there', async () => {
  await using service = await startTestService()
  await service.manage('POST', '/workspaces', { name: 'Search', slug: 'search' })
  const joined = [
    { workspace: 'default', access: 'viewer' },
    { workspace: 'search', access: 'developer' },
  ]
  const headers = await session(service, await addPerson(service, 'ada', 'developer', joined))
  const create = (more: Headers) =>
    send(service, 'post', { path: '/keys', headers: { ...headers, ...more }, body: { name: 'k' } })
  assert.equal((await create({})).status, 403)
  const created = await create({ 'x-workspace': 'search' })
  assert.equal(created.status, 201, created.text)
  const refused = await create({ 'x-workspace': 'missing' })
  assert.equal(refused.status, 403)
  assert.match(refused.text, /you have no access to a workspace \\"missing\\"/)
  const list = await send(service, 'get', { path: '/keys?workspace_id=search', headers })
  assert.equal(JSON.parse(list.text).data[0].workspace_id, JSON.parse(created.text).data.workspace_id)
  const { text } = await send(service, 'get', { path: '/sessions/current', headers })
  assert.deepEqual(
    JSON.parse(text).data.workspaces.map(({ slug }: { slug: string }) => slug),
    ['default', 'search'],
  )
})

test('a key stops when its member leaves the workspace, and a session moves', async () => {
  await using service = await startTestService()
  await service.manage('POST', '/workspaces', { name: 'Search', slug: 'search' })
  const userId = await addPerson(service, 'ada', 'admin', [{ workspace: 'default' }, { workspace: 'search' }])
  const { key } = (await service.manage('POST', '/keys', { name: 'k', creator_user_id: userId })).body
  const headers = await session(service, userId)
  await service.manage('PATCH', `/organization/members/${userId}`, { access: 'developer' })
  assert.equal((await service.ask('GET', '/key', { key })).status, 200)
  const leave = { user_ids: [userId], disable_keys: true }
  await service.manage('POST', '/workspaces/default/members/remove', leave)
  assert.equal((await service.ask('GET', '/key', { key })).status, 401)
  const { text } = await send(service, 'get', { path: '/sessions/current', headers })
  assert.equal(JSON.parse(text).data?.workspace.name, 'Search')
  await service.manage('POST', '/workspaces/search/members/remove', leave)
  const without = await send(service, 'get', { path: '/sessions/current', headers })
  assert.equal(without.status, 403, 'the member belongs to no workspace')
  assert.match(without.text, /workspace/)
})

test('an owner who names a workspace sees that one only', async () => {
  await using service = await startTestService()
  const ids = await furnish(service)
  const owner = (await service.manage('GET', '/organization/members')).body.data[0].id
  const headers = await session(service, owner)
  const names = async (more: Headers) => {
    const { text } = await send(service, 'get', { path: '/guardrails', headers: { ...headers, ...more } })
    return JSON.parse(text).data.map(({ name }: { name: string }) => name)
  }
  assert.deepEqual(await names({}), [marker])
  assert.deepEqual(await names({ 'x-workspace': ids.workspace! }), [marker])
  assert.deepEqual(await names({ 'x-workspace': 'default' }), [])
})
