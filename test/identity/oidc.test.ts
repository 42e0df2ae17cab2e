import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Config } from '#platform/config/settings.ts'
import { Settings } from '#platform/config/settings.ts'
import { type DatabaseKind, onOneDatabase } from '../harness/database/databases.ts'
import { startTestService, type TestService } from '../harness/service/service.ts'
import { client, type Issuer, RedirectFollower, startIssuer } from '../harness/service/sign-in/oidc-issuer.ts'
import { startPlainIssuer } from '../harness/service/sign-in/plain-issuer.ts'

/** Every account joins the first workspace, with its role in the organization. */
const everybody = { '*': { workspace: 'default' } }

async function withIssuer(settings: Partial<Config> = {}, kind: DatabaseKind = 'sqlite') {
  const issuer = await startIssuer()
  const service = await startTestService({
    kind,
    settings: { oidc_issuer: issuer.url, ...client, oidc_groups: everybody, ...settings },
  })
  issuer.serve(service)
  return {
    issuer,
    service,
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]()
      await issuer[Symbol.asyncDispose]()
    },
  }
}

const ada = { email: 'Ada@Example.com', email_verified: true, name: 'Ada Lovelace' }
const isCallback = (url: string) => url.includes('/sessions/oidc/callback')

/** Signs a person in. @returns the session, or the reason for the refusal. */
async function signIn(service: TestService, issuer: Issuer, id: string, claims: object) {
  issuer.person = { id, claims }
  const browser = new RedirectFollower()
  const page = await browser.go(`${service.url}/sessions/oidc`)
  return { browser, page, html: await page.text(), ...(await sessionOf(service, browser)) }
}

async function sessionOf(service: TestService, { jar }: RedirectFollower) {
  const own = [...(jar.get(new URL(service.url).origin) ?? [])]
  const cookie = own.map(([name, value]) => `${name}=${value}`).join('; ')
  const { status, body } = await service.ask('GET', '/sessions/current', { key: null, headers: { cookie } })
  return { status, session: body.data }
}

onOneDatabase('signing in by OpenID Connect', (kind) => {
  test('a user with an address of our domains becomes a member, once', async () => {
    await using world = await withIssuer({ oidc_domains: ['example.com'] }, kind)
    const { service, issuer } = world
    const { page, html, session } = await signIn(service, issuer, 'account-1', ada)
    assert.equal(page.status, 200)
    assert.match(html, /<meta http-equiv="refresh" content="0;url=\/">/)
    assert.deepEqual(
      [session.member.name, session.member.email, session.role, session.method],
      ['Ada Lovelace', 'ada@example.com', 'viewer', 'oidc'],
    )
    const second = await signIn(service, issuer, 'account-1', { ...ada, email: 'moved@example.com' })
    assert.deepEqual([second.session.member.id, second.session.id === session.id], [session.member.id, false])
    const { data } = (await service.manage('GET', '/audit?action=member.joined')).body
    assert.deepEqual([data.length, data[0].actor.user_email], [1, 'ada@example.com'])
  })

  test('an existing member signs in and keeps the role', async () => {
    await using world = await withIssuer({}, kind)
    const { service, issuer } = world
    const person = { email: 'ada@example.com', name: 'Ada', access: 'developer' }
    const { id } = (await service.manage('POST', '/organization/members', person)).body.data
    const { session } = await signIn(service, issuer, 'account-1', ada)
    assert.deepEqual([session.member.id, session.role], [id, 'developer'])
    const stranger = await signIn(service, issuer, 'account-2', { ...ada, email: 'eve@example.com' })
    assert.deepEqual([stranger.page.status, stranger.status], [403, 401])
    assert.match(stranger.html, /eve@example\.com does not belong to the organization/)
    const other = await signIn(service, issuer, 'account-3', ada)
    assert.deepEqual([other.page.status, other.status], [403, 401])
    assert.match(other.html, /signs in with another account/)
  })

  test('groups of the issuer add to workspaces and remove from them at each sign-in', async () => {
    const oidc_groups: Config['oidc_groups'] = {
      'team-search': { workspace: 'search', role: 'developer' },
      leads: { workspace: 'search', role: 'admin' },
      'team-ads': { workspace: 'ads', role: 'viewer' },
    }
    await using world = await withIssuer({ oidc_domains: ['example.com'], oidc_groups }, kind)
    const { service, issuer } = world
    for (const slug of ['search', 'ads']) await service.manage('POST', '/workspaces', { name: slug, slug })
    const signedInWith = async (...groups: string[]) => {
      const { session } = await signIn(service, issuer, 'account-1', { ...ada, groups })
      return [session?.role, session?.workspaces.map(({ slug }: { slug: string }) => slug)]
    }
    assert.deepEqual(await signedInWith('team-search'), ['developer', ['search']])
    assert.deepEqual(await signedInWith('team-search', 'leads', 'other'), ['admin', ['search']])
    assert.deepEqual(await signedInWith('team-ads'), ['viewer', ['ads']])
    await service.manage('POST', '/workspaces/default/members/add', {
      user_ids: ['ada@example.com'],
      access: 'developer',
    })
    assert.deepEqual(await signedInWith(), ['developer', ['default']])
  })

  test('groups do not change or remove a membership that an admin added', async () => {
    const oidc_groups: Config['oidc_groups'] = { leads: { workspace: 'search', role: 'admin' } }
    await using world = await withIssuer({ oidc_domains: ['example.com'], oidc_groups }, kind)
    const { service, issuer } = world
    await service.manage('POST', '/workspaces', { name: 'search', slug: 'search' })
    await service.manage('POST', '/organization/members', {
      email: 'ada@example.com',
      name: 'Ada',
      access: 'developer',
    })
    const add = { user_ids: ['ada@example.com'], access: 'viewer' }
    assert.equal((await service.manage('POST', '/workspaces/search/members/add', add)).status, 200)
    for (const groups of [['leads'], []]) {
      await signIn(service, issuer, 'account-1', { ...ada, groups })
      const { data } = (await service.manage('GET', '/workspaces/search/members')).body
      const member = data.find(({ email }: { email: string }) => email === 'ada@example.com')
      assert.deepEqual([member?.access, member?.source], ['viewer', 'manual'])
    }
  })

  test('the highest role of several groups applies, also if it is the default', async () => {
    const settings: Partial<Config> = {
      oidc_domains: ['example.com'],
      oidc_default_role: 'developer',
      oidc_groups: {
        'team-search': { workspace: 'search' },
        auditors: { workspace: 'search', role: 'viewer' },
        leads: { workspace: 'search', role: 'admin' },
      },
    }
    await using world = await withIssuer(settings, kind)
    const { service, issuer } = world
    await service.manage('POST', '/workspaces', { name: 'search', slug: 'search' })
    const roleWith = async (...groups: string[]) =>
      (await signIn(service, issuer, 'account-1', { ...ada, groups })).session.role
    assert.equal(await roleWith('auditors'), 'viewer')
    assert.equal(await roleWith('auditors', 'team-search'), 'developer')
    assert.equal(await roleWith('team-search', 'leads'), 'admin')
  })

  test("an account without a group becomes a member, and gets the administrator's name", async () => {
    await using world = await withIssuer({ oidc_domains: ['example.com'], oidc_groups: {} }, kind)
    const { service, issuer } = world
    const { page, html, status } = await signIn(service, issuer, 'account-1', ada)
    assert.deepEqual([page.status, status], [403, 401])
    assert.match(html, /do not belong to a workspace yet\. Ask Owner \(owner@localhost\)/)
    const add = { user_ids: ['ada@example.com'], access: 'viewer' }
    assert.equal((await service.manage('POST', '/workspaces/default/members/add', add)).status, 200)
    assert.equal((await signIn(service, issuer, 'account-1', ada)).session.role, 'viewer')
  })

  test('a removed member does not return by signing in', async () => {
    await using world = await withIssuer({ oidc_domains: ['*'] }, kind)
    const { service, issuer } = world
    const { session } = await signIn(service, issuer, 'account-1', ada)
    await service.manage('DELETE', `/organization/members/${session.member.id}`)
    const second = await signIn(service, issuer, 'account-1', ada)
    assert.deepEqual([second.page.status, second.status], [403, 401])
    const other = await signIn(service, issuer, 'account-2', ada)
    assert.deepEqual([other.page.status, other.status], [403, 401])
    assert.equal((await service.manage('GET', '/organization/members')).body.total_count, 1)
  })
})

test('the user lands on the requested page, and never at a foreign address', async () => {
  await using world = await withIssuer({ oidc_domains: ['*'] })
  const { service, issuer } = world
  issuer.person = { id: 'account-1', claims: ada }
  const begin = (returnTo: string) => `${service.url}/sessions/oidc?return_to=${encodeURIComponent(returnTo)}`
  const landsOn = async (browser: RedirectFollower, at: string) => {
    const page = await browser.go(at)
    assert.equal(page.status, 200)
    return /http-equiv="refresh" content="0;url=([^"]*)"/.exec(await page.text())?.[1]
  }
  assert.equal(
    await landsOn(new RedirectFollower(), begin('/requests?last=1h&model=a%2Fb')),
    '/requests?last=1h&#38;model=a%2Fb',
  )
  for (const elsewhere of [
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '/.//evil.example',
    '/api/v1/keys',
  ]) {
    const refused = await fetch(begin(elsewhere), { redirect: 'manual' })
    assert.equal(refused.status, 400, elsewhere)
    assert.match(await refused.text(), /return_to: must be the path of a page of the console/)
  }
  const forger = new RedirectFollower()
  const { at } = await forger.go(begin('/requests'), isCallback)
  const jar = forger.jar.get(new URL(service.url).origin)!
  const forged = [...jar].map(([name, value]): [string, string] => [
    name,
    `${value.split('.')[0]}.${Buffer.from('//evil.example').toString('base64url')}`,
  ])
  forger.jar.set(new URL(service.url).origin, new Map(forged))
  assert.equal(await landsOn(forger, at), '/')
})

test('a claim sets the role at each sign-in: the highest, or the default', async () => {
  const oidc_roles = { platform: 'admin', engineering: 'developer' } as const
  await using world = await withIssuer({ oidc_domains: ['*'], oidc_role_claim: 'groups', oidc_roles })
  const { service, issuer } = world
  const roleWith = async (groups: unknown) =>
    (await signIn(service, issuer, 'account-1', { ...ada, groups })).session.role
  assert.equal(await roleWith(['engineering', 'platform', 'owner', '__proto__']), 'admin')
  assert.equal(await roleWith('engineering'), 'developer')
  assert.equal(await roleWith(['constructor', 'admin']), 'viewer')
  assert.equal(await roleWith(undefined), 'viewer')
})

test('a user without role is refused without a default, and the last admin remains', async () => {
  const settings = { oidc_domains: ['*'], oidc_role_claim: 'groups', oidc_roles: { staff: 'viewer' as const } }
  await using world = await withIssuer({ ...settings, oidc_default_role: 'none' })
  const { service, issuer } = world
  const refused = await signIn(service, issuer, 'account-1', ada)
  assert.deepEqual([refused.page.status, refused.status], [403, 401])
  const [owner] = (await service.manage('GET', '/organization/members')).body.data
  const claims = { email: owner.email, email_verified: true, groups: ['staff'] }
  const { session } = await signIn(service, issuer, 'account-2', claims)
  assert.deepEqual([session.member.id, session.role], [owner.id, 'owner'])
})

test('an unverified address cannot sign in', async () => {
  await using world = await withIssuer({ oidc_domains: ['*'] })
  const { service, issuer } = world
  for (const email_verified of [false, undefined, 'no', 0]) {
    const claims = { ...ada, email: 'owner@localhost', email_verified }
    const { page, status } = await signIn(service, issuer, `account ${email_verified}`, claims)
    assert.deepEqual([page.status, status], [403, 401], String(email_verified))
  }
})

test('a callback without a started sign-in, or used twice, is refused', async () => {
  await using world = await withIssuer({ oidc_domains: ['*'] })
  const { service, issuer } = world
  issuer.person = { id: 'attacker', claims: { ...ada, email: 'eve@example.com' } }
  const attacker = new RedirectFollower()
  const { at: planted } = await attacker.go(`${service.url}/sessions/oidc`, isCallback)
  const strangers = new RedirectFollower()
  assert.equal((await strangers.go(planted)).status, 401)
  const victim = new RedirectFollower()
  await victim.go(`${service.url}/sessions/oidc`, (url) => !url.startsWith(service.url))
  assert.equal((await victim.go(planted)).status, 401)
  assert.equal((await sessionOf(service, victim)).status, 401)
  const flow = new Map(attacker.jar.get(new URL(service.url).origin))
  const altered = new URL(planted)
  altered.searchParams.set('state', 'a'.repeat(43))
  assert.equal((await attacker.go(altered.href)).status, 401)
  attacker.jar.set(new URL(service.url).origin, new Map(flow))
  assert.equal((await attacker.go(planted)).status, 200)
  attacker.jar.set(new URL(service.url).origin, flow)
  assert.equal((await attacker.go(planted)).status, 401)
})

test('a callback after too many failed ones is refused, with the time to wait', async () => {
  await using world = await withIssuer()
  const callback = `${world.service.url}/sessions/oidc/callback?error=denied&state=x`
  const responses = await Promise.all(Array.from({ length: 11 }, () => fetch(callback)))
  const refused = responses.find(({ status }) => status === 429)
  assert.match(refused?.headers.get('content-type') ?? '', /^text\/html/)
  assert.match(refused?.headers.get('retry-after') ?? '', /^[1-6]$/)
})

test('two tabs of a browser can sign in at the same time', async () => {
  await using issuer = await startPlainIssuer()
  issuer.idToken = { sub: 'account-1', ...ada }
  issuer.description = { userinfo_endpoint: undefined }
  const settings: Partial<Config> = { oidc_issuer: issuer.url, oidc_client_id: 'signalbox', oidc_domains: ['*'] }
  await using service = await startTestService({ settings: { ...settings, oidc_groups: everybody } })
  const browser = new RedirectFollower()
  const first = await browser.go(`${service.url}/sessions/oidc?return_to=/keys`, isCallback)
  const second = await browser.go(`${service.url}/sessions/oidc?return_to=/models`, isCallback)
  for (const [{ at }, path] of [
    [first, '/keys'],
    [second, '/models'],
  ] as const) {
    const page = await browser.go(at)
    assert.equal(page.status, 200)
    assert.ok((await page.text()).includes(`url=${path}"`))
  }
})

test('PKCE, state and nonce are sent, and the cookie is for the callback only', async () => {
  await using world = await withIssuer()
  const { service } = world
  const response = await fetch(`${service.url}/sessions/oidc`, { redirect: 'manual' })
  const request = new URL(response.headers.get('location')!).searchParams
  assert.equal(request.get('code_challenge_method'), 'S256')
  assert.deepEqual([request.get('response_type'), request.get('scope')], ['code', 'openid email profile'])
  for (const name of ['code_challenge', 'state', 'nonce']) assert.match(request.get(name)!, /^[\w-]{43}$/)
  const cookie = response.headers.get('set-cookie')!
  assert.match(
    cookie,
    /^signalbox_sign_in_[\w-]{8}=[\w-]{43}; Path=\/api\/v1\/sessions\/oidc; HttpOnly; SameSite=Lax; Max-Age=600$/,
  )
  assert.ok(!cookie.includes(request.get('state')!))
})

test('no page shows ours within itself, and ours load nothing', async () => {
  await using world = await withIssuer({ oidc_domains: ['*'] })
  const { service, issuer } = world
  const { page, browser } = await signIn(service, issuer, 'a', ada)
  const refused = await browser.go(`${service.url}/sessions/oidc/callback?error=%3Cscript%3E&state=x`)
  const docs = await fetch(`${service.url}/docs`)
  for (const { headers } of [page, refused, docs]) {
    assert.match(headers.get('content-security-policy')!, /frame-ancestors 'none'/)
    assert.equal(headers.get('x-frame-options'), 'DENY')
    assert.equal(headers.get('x-content-type-options'), 'nosniff')
  }
  assert.equal(page.headers.get('cache-control'), 'no-store')
  assert.ok(!(await refused.text()).includes('<script'))
})

test('without an issuer sign-in is not offered; an unreachable issuer is reported', async () => {
  await using service = await startTestService()
  assert.deepEqual((await service.ask('GET', '/sessions/methods', { key: null })).body.data, ['key', 'link'])
  assert.equal((await service.ask('GET', '/sessions/oidc', { key: null })).status, 404)
  await using lonely = await startTestService({ settings: { oidc_issuer: 'http://127.0.0.1:9', ...client } })
  assert.deepEqual((await lonely.ask('GET', '/sessions/methods', { key: null })).body.data, ['key', 'link', 'oidc'])
  const { status, body } = await lonely.ask('GET', '/sessions/oidc', { key: null })
  assert.equal(status, 503)
  assert.match(body.error.message, /OpenID Connect issuer cannot be reached now/)
})

test('invalid settings of the issuer are refused at the start', async () => {
  const parse = (settings: object) => Settings.safeParse(settings)
  assert.deepEqual(parse({ oidc_roles: 'platform=admin, eng = developer' }).data?.oidc_roles, {
    platform: 'admin',
    eng: 'developer',
  })
  assert.equal(parse({ oidc_roles: 'platform=root' }).success, false)
  assert.equal(parse({ oidc_issuer: 'http://login.example.com' }).success, false)
  assert.equal(parse({ oidc_issuer: 'https://login.example.com/realms/a' }).success, true)
  await assert.rejects(
    startTestService({ settings: { oidc_issuer: 'https://login.example.com' } }),
    /oidc_issuer needs oidc_client_id/,
  )
})
