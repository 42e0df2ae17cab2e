import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { routes } from '#api/routes/routes.ts'
import { originOf, signIn } from '../harness/service/browser-client.ts'
import { startTestService, type TestService } from '../harness/service/service.ts'
import { callers, mayCall } from './role-table.ts'

type Headers = Record<string, string>

async function memberWith(service: TestService, access: string): Promise<string> {
  const person = { email: `${access}@example.com`, name: access, access }
  return (await service.manage('POST', '/organization/members', person)).body.data.id
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

async function keyOf(service: TestService, creator_user_id: string, kind = 'api'): Promise<string> {
  return (await service.manage('POST', '/keys', { name: 'n', kind, creator_user_id })).body.key
}

async function session(service: TestService, proof: { key: string } | { link: string }): Promise<Headers> {
  const { headers, body } = await signIn(service, proof)
  const cookie = headers.get('set-cookie')!.split(';')[0]!
  return { cookie, origin: originOf(service), 'x-csrf-token': body.data.csrf_token }
}

/** The headers of a caller of the table. Each call gets a new session, because some calls end their session. */
async function headersOf(service: TestService, caller: (typeof callers)[number], ids: Headers): Promise<Headers> {
  const [role = '', how] = caller.split(' by ')
  if (how === 'link') {
    const { body } = await service.manage('POST', '/sessions/links', { user_id: ids[role] })
    return session(service, { link: body.data.token })
  }
  const key = await keyOf(service, ids[role]!, role === 'management' ? 'management' : 'api')
  return how === 'pasted key' ? session(service, { key }) : bearer(key)
}

/** Whether a call passes authorization. Its path and body are invalid, so that it has no effect. */
async function isLetIn(service: TestService, route: (typeof routes)[number], headers: Headers): Promise<boolean> {
  const path = route.path.replace(/\{\w+\}/g, '00000000-0000-7000-8000-000000000000')
  const hasBody = route.method !== 'get' && route.method !== 'delete'
  const disconnect = new AbortController()
  const response = await fetch(service.url + path, {
    method: route.method.toUpperCase(),
    headers: { ...headers, ...(hasBody && { 'content-type': 'application/json' }) },
    ...(hasBody && { body: '{}' }),
    signal: disconnect.signal,
  })
  disconnect.abort()
  return ![401, 403].includes(response.status)
}

const operations = routes.map((route) => ({ route, id: route.operationId! }))

test('the table of roles has a row for each route, and none for another', () => {
  assert.deepEqual(Object.keys(mayCall).sort(), operations.map(({ id }) => id).sort())
})

describe('permissions per route', () => {
  let service: TestService
  const ids: Headers = {}
  before(async () => {
    service = await startTestService()
    for (const access of ['owner', 'admin', 'developer', 'viewer', 'member'])
      ids[access] = await memberWith(service, access)
    ids.management = ids.owner!
  })
  after(() => service.stop())

  for (const [at, caller] of callers.entries()) {
    test(`each route accepts or refuses ${caller} as in the table`, async () => {
      const headers = await headersOf(service, caller, ids)
      const wrong: string[] = []
      for (const { route, id } of operations) {
        const asking = id.startsWith('deleteCurrent') ? await headersOf(service, caller, ids) : headers
        const expected = mayCall[id]?.[at] !== '-'
        if ((await isLetIn(service, route, asking)) !== expected)
          wrong.push(`${id}: ${expected ? 'refused' : 'let in'}`)
      }
      assert.deepEqual(wrong, [])
    })
  }
})
