import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Config } from '#platform/config/settings.ts'
import { type DatabaseKind, onOneDatabase } from '../../harness/database/databases.ts'
import { startTestService, type TestService } from '../../harness/service/service.ts'
import { client, RedirectFollower } from '../../harness/service/sign-in/oidc-issuer.ts'
import { type PlainIssuer, startPlainIssuer } from '../../harness/service/sign-in/plain-issuer.ts'
import { until } from '../../harness/until.ts'

type World = AsyncDisposable & { issuer: PlainIssuer; service: TestService }

async function withPlainIssuer(settings: Partial<Config> = {}, kind: DatabaseKind = 'sqlite'): Promise<World> {
  const issuer = await startPlainIssuer()
  const service = await startTestService({
    kind,
    settings: {
      oidc_issuer: issuer.url,
      ...client,
      oidc_domains: ['example.com'],
      oidc_groups: { '*': { workspace: 'default' } },
      trusted_proxies: ['127.0.0.1'],
      ...settings,
    },
  })
  return {
    issuer,
    service,
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]()
      await issuer[Symbol.asyncDispose]()
    },
  }
}

let browsers = 0
/** A browser with a separate address: failed attempts are limited by address. */
const newBrowser = () => new RedirectFollower({ 'x-forwarded-for': `2001:db8:0:${(++browsers).toString(16)}::1` })

async function signIn({ service }: World, browser = newBrowser()) {
  const page = await browser.go(`${service.url}/sessions/oidc`)
  const cookie = [...(browser.jar.get(new URL(service.url).origin) ?? [])].map((pair) => pair.join('=')).join('; ')
  const { body } = await service.ask('GET', '/sessions/current', { key: null, headers: { cookie } })
  return { status: page.status, html: await page.text(), session: body.data, cookie, browser }
}

const json = (body: unknown) => (response: ServerResponse) =>
  void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))

const ada = { sub: 'ada', email: 'ada@example.com', email_verified: true, name: 'Ada' }

test('the email address and its verification must come from the same source', async () => {
  await using world = await withPlainIssuer()
  const { issuer, service } = world
  await service.manage('POST', '/organization/members', { email: 'victim@example.com', name: 'V', access: 'admin' })
  const attacker = { sub: 'eve', email: 'eve@elsewhere.example', email_verified: true }
  issuer.idToken = { sub: 'eve', email: 'victim@example.com' }
  issuer.userInfo = json(attacker)
  const { status, html } = await signIn(world)
  assert.equal(status, 403)
  assert.match(html, /eve@elsewhere\.example/)
  issuer.idToken = { sub: 'eve', email: 'victim@example.com', email_verified: false }
  assert.equal((await signIn(world)).status, 403)
  issuer.idToken = { sub: 'eve', email_verified: true }
  issuer.userInfo = json({ sub: 'eve', email: 'victim@example.com' })
  assert.equal((await signIn(world)).status, 403)
})

test('an address that only the user-info endpoint verifies signs in', async () => {
  await using world = await withPlainIssuer()
  world.issuer.idToken = { sub: 'ada', email: 'ada@example.com' }
  world.issuer.userInfo = json(ada)
  assert.equal((await signIn(world)).session.member.email, 'ada@example.com')
})

const oddValues: unknown[] = [
  null,
  { toString: 'x', valueOf: 1 },
  [{ toString: null }],
  [[['admin']]],
  {},
  [],
  -0.5,
  1e308,
  true,
  '',
  ' ',
  '\u0000',
  'a\u0000b@example.com',
  '\ud800',
  'x'.repeat(100_000),
  `${'x'.repeat(100_000)}@example.com`,
]

onOneDatabase('odd claims', (kind) => {
  test('no value of any claim in any source makes a sign-in answer 500', async () => {
    const rules = { oidc_role_claim: 'groups', oidc_roles: { staff: 'admin' as const } }
    await using world = await withPlainIssuer(rules, kind)
    const { issuer } = world
    const names = [
      'sub',
      'email',
      'email_verified',
      'name',
      'preferred_username',
      'groups',
      '_claim_names',
      'iss',
      'aud',
    ]
    let person = 0
    for (const name of names) {
      for (const value of oddValues) {
        const valid = { ...ada, sub: `person ${++person}`, email: `person${person}@example.com` }
        issuer.idToken = { ...valid, [name]: value }
        issuer.userInfo = json(valid)
        const first = await signIn(world)
        assert.ok([200, 401, 403].includes(first.status), `ID token, ${name}: ${first.status} ${first.html}`)
        issuer.idToken = { sub: valid.sub }
        issuer.userInfo = json({ ...valid, [name]: value })
        const second = await signIn(world)
        assert.ok([200, 401, 403].includes(second.status), `user info, ${name}: ${second.status} ${second.html}`)
      }
    }
  })
})

test('random claims make a session or a refusal, never a 500', async () => {
  await using world = await withPlainIssuer({ oidc_role_claim: 'realm.groups', oidc_roles: { staff: 'admin' } })
  const claims = fc.dictionary(
    fc.constantFrom(
      'sub',
      'email',
      'email_verified',
      'name',
      'realm',
      'groups',
      '_claim_names',
      'nonce',
      'exp',
      'at_hash',
    ),
    fc.oneof(fc.jsonValue(), fc.constant('a@example.com'), fc.constant({ groups: { staff: 1 } })),
  )
  await fc.assert(
    fc.asyncProperty(claims, claims, fc.uuid(), async (idToken, userInfo, sub) => {
      world.issuer.idToken = { sub, ...idToken }
      world.issuer.userInfo = json({ sub, ...userInfo })
      const { status, html } = await signIn(world)
      assert.ok([200, 401, 403].includes(status), `${status} ${html}`)
    }),
    { numRuns: 60 },
  )
})

test('sign-in continues with the ID token when the user-info endpoint fails', async () => {
  await using world = await withPlainIssuer()
  const { issuer } = world
  const send = (status: number, type: string, body: string) => (response: ServerResponse) =>
    void response.writeHead(status, { 'content-type': type }).end(body)
  const responses = {
    forbidden: send(403, 'text/plain', 'no'),
    broken: send(500, 'application/json', '{}'),
    'no JSON': send(200, 'application/json', 'x'),
    'no subject': json({ email: 'other@example.com' }),
    signed: send(200, 'application/jwt', issuer.jwt({ ...ada, iss: issuer.url, aud: 'signalbox' })),
    cut: (response: ServerResponse) => void response.destroy(),
  }
  issuer.idToken = ada
  for (const [name, userInfo] of Object.entries(responses)) {
    issuer.userInfo = userInfo
    assert.equal((await signIn(world)).session?.member.email, 'ada@example.com', name)
  }
  issuer.userInfo = json({ ...ada, sub: 'somebody else' })
  assert.equal((await signIn(world)).status, 401)
})

test('a signed user-info answer gives the claims that the ID token lacks', async () => {
  await using world = await withPlainIssuer()
  const { issuer } = world
  issuer.description = { userinfo_signing_alg_values_supported: ['RS256'] }
  issuer.idToken = { sub: 'ada' }
  issuer.userInfo = (response) =>
    void response.writeHead(200, { 'content-type': 'application/jwt' }).end(issuer.jwt({ ...ada, aud: 'signalbox' }))
  assert.equal((await signIn(world)).session?.member.name, 'Ada')
})

test('a member keeps the role when the issuer cannot send the role claim', async () => {
  const rules = { oidc_role_claim: 'groups', oidc_roles: { platform: 'admin' as const } }
  await using world = await withPlainIssuer(rules)
  const { issuer } = world
  issuer.idToken = { ...ada, groups: ['platform'] }
  assert.equal((await signIn(world)).session.role, 'admin')
  const overage = { _claim_names: { groups: 'src1' }, _claim_sources: { src1: { endpoint: 'https://graph.example' } } }
  issuer.idToken = { ...ada, ...overage }
  assert.equal((await signIn(world)).session.role, 'admin')
  issuer.idToken = { ...ada, hasgroups: true }
  assert.equal((await signIn(world)).session.role, 'admin')
  issuer.idToken = ada
  issuer.userInfo = (response) => void response.writeHead(500).end()
  assert.equal((await signIn(world)).session.role, 'admin')
  issuer.userInfo = json({ sub: 'ada' })
  assert.equal((await signIn(world)).session.role, 'viewer')
  issuer.idToken = { sub: 'new', email: 'new@example.com', email_verified: true, ...overage }
  issuer.userInfo = json({ sub: 'new' })
  assert.equal((await signIn(world)).session.role, 'viewer')
})

test('the client secret is sent as the issuer lists or the setting says', async () => {
  const methods = async (supported: string[] | undefined, oidc_token_auth_method: Config['oidc_token_auth_method']) => {
    await using world = await withPlainIssuer({ oidc_token_auth_method })
    world.issuer.description = { token_endpoint_auth_methods_supported: supported }
    world.issuer.idToken = ada
    assert.equal((await signIn(world)).status, 200)
    const { authorization, body } = world.issuer.lastTokenRequest!
    return [authorization?.split(' ')[0], body.get('client_secret'), body.has('client_assertion')]
  }
  const basic = ['Basic', null, false]
  const post = [undefined, client.oidc_client_secret, false]
  const jwt = [undefined, null, true]
  assert.deepEqual(await methods(undefined, 'auto'), basic)
  assert.deepEqual(await methods(['client_secret_basic'], 'auto'), basic)
  assert.deepEqual(await methods(['private_key_jwt', 'client_secret_post', 'client_secret_basic'], 'auto'), post)
  assert.deepEqual(await methods(['client_secret_jwt', 'client_secret_basic'], 'auto'), basic)
  assert.deepEqual(await methods(['client_secret_jwt'], 'auto'), jwt)
  assert.deepEqual(await methods(['client_secret_basic'], 'client_secret_post'), post)
  assert.deepEqual(await methods(['client_secret_post'], 'client_secret_basic'), basic)
})

test('an issuer that calls itself otherwise is named with both values, at start', async () => {
  await using issuer = await startPlainIssuer('/realms/staff')
  const lines: string[] = []
  const oidc_issuer = `${issuer.url}/`
  await using service = await startTestService({
    settings: { oidc_issuer, ...client },
    log: (line) => lines.push(line),
  })
  const named = (text: string) => text.includes(oidc_issuer) && text.includes(`\\"${issuer.url}\\"`)
  await until(() => lines.some(named))
  const { status, body } = await service.ask('GET', '/sessions/oidc', { key: null })
  assert.equal(status, 503)
  assert.ok(named(JSON.stringify(body)), JSON.stringify(body))
})

test('after a sign-out the issuer asks for the account, once', async () => {
  await using world = await withPlainIssuer()
  const { issuer, service } = world
  issuer.idToken = ada
  const prompts = async (browser: RedirectFollower) => {
    const { at } = await browser.go(`${service.url}/sessions/oidc`, (url) => url.startsWith(issuer.url))
    return new URL(at).searchParams.get('prompt')
  }
  const { session, browser } = await signIn(world)
  assert.equal(await prompts(browser), null)
  const { body } = await signOut(world, browser, session)
  assert.deepEqual(body, { ended: true })
  assert.equal(await prompts(browser), 'select_account')
  await signIn(world, browser)
  assert.equal(await prompts(browser), null)
})

test('an issuer without select_account gets prompt=login', async () => {
  await using world = await withPlainIssuer()
  const { issuer, service } = world
  issuer.description = { prompt_values_supported: ['none', 'login'] }
  issuer.idToken = ada
  const { session, browser } = await signIn(world)
  await signOut(world, browser, session)
  const { at } = await browser.go(`${service.url}/sessions/oidc`, (url) => url.startsWith(issuer.url))
  assert.equal(new URL(at).searchParams.get('prompt'), 'login')
})

test('sign-out by setting leads to the end-session page of the issuer', async () => {
  await using world = await withPlainIssuer({ oidc_sign_out: 'issuer' })
  const { issuer, service } = world
  issuer.description = { end_session_endpoint: `${issuer.url}/logout?realm=a` }
  issuer.idToken = ada
  const { session, browser } = await signIn(world)
  const { body } = await signOut(world, browser, session)
  const url = new URL(body.sign_out_url)
  assert.equal(url.origin + url.pathname, `${issuer.url}/logout`)
  const expected = { realm: 'a', client_id: 'signalbox', post_logout_redirect_uri: `${new URL(service.url).origin}/` }
  assert.deepEqual(Object.fromEntries(url.searchParams), expected)
})

async function signOut({ service }: World, { jar }: RedirectFollower, session: { csrf_token: string }) {
  const { origin } = new URL(service.url)
  const cookie = [...jar.get(origin)!].map((pair) => pair.join('=')).join('; ')
  const headers = { cookie, origin, 'x-csrf-token': session.csrf_token }
  const response = await fetch(`${service.url}/sessions/current`, { method: 'DELETE', headers })
  for (const text of response.headers.getSetCookie()) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(text) ?? []
    if (value === '') jar.get(origin)!.delete(name)
    else jar.get(origin)!.set(name, value)
  }
  return { body: (await response.json()) as { ended: true; sign_out_url: string } }
}
