import assert from 'node:assert/strict'
import { createHmac, KeyObject, sign } from 'node:crypto'
import { test } from 'node:test'
import Anthropic from '@anthropic-ai/sdk'
import { oidcFederationProvider } from '@anthropic-ai/sdk/lib/credentials/oidc-federation'
import { exportSPKI, generateKeyPair } from 'jose'
import type { Config } from '#platform/config/settings.ts'
import { onEachDatabase } from '../harness/database/databases.ts'
import { startTestService, type TestService } from '../harness/service/service.ts'
import { startTokenIssuer, type TokenIssuer } from '../harness/service/sign-in/token-issuer.ts'
import { until } from '../harness/until.ts'

const members = { 'ci:build': 'ci@example.com' }
const settingsFor = ({ url }: TokenIssuer, more: Partial<Config> = {}): Partial<Config> => ({
  ...{ jwt_issuer: url, jwt_audience: 'signalbox', jwt_members: members },
  ...more,
})

async function addMember(service: TestService, access = 'developer', email = 'ci@example.com') {
  const { body, status } = await service.manage('POST', '/organization/members', { email, name: email, access })
  assert.equal(status, 201, JSON.stringify(body))
  return body.data.id as string
}

const complete = (service: TestService, key: string, more: object = {}) =>
  service.ask('POST', '/chat/completions', {
    key,
    body: { model: 'signalbox/demo', messages: [{ role: 'user', content: 'Hello' }], ...more },
  })

onEachDatabase('tokens of an issuer', (kind) => {
  test('a token uses models as its member, in the claimed workspace, with guardrails', async () => {
    await using issuer = await startTokenIssuer()
    const settings = settingsFor(issuer, { jwt_workspace_claim: 'team.workspace', jwt_guardrail_claim: 'policy' })
    await using service = await startTestService({ kind, settings })
    const userId = await addMember(service)
    const { body } = await service.manage('POST', '/workspaces', { name: 'Search', slug: 'search' })
    const workspace_id = body.data.id
    await service.manage('POST', `/workspaces/${workspace_id}/members/add`, { user_ids: [userId] })
    const created = await service.manage('POST', '/guardrails', {
      name: 'CI',
      workspace_id,
      allowed_models: ['openai/gpt-5'],
    })
    assert.equal(created.status, 201, created.text)
    const claims = { sub: 'ci:build', team: { workspace: 'search' } }
    const refused = await complete(service, await issuer.sign({ ...claims, policy: 'CI' }))
    assert.equal(refused.status, 403, refused.text)
    assert.match(refused.text, /CI/)
    await service.manage('PATCH', `/guardrails/${created.body.data.id}`, { allowed_models: null, limit_usd: 5 })
    const token = await issuer.sign({ ...claims, policy: 'CI' })
    const response = await complete(service, token)
    assert.equal(response.status, 200, response.text)
    const { data } = (await service.ask('GET', '/key', { key: token })).body
    assert.deepEqual(
      data.budgets.map(({ layer }: any) => layer),
      ['api_key'],
    )
    const keys = (await service.manage('GET', '/keys?workspace_id=search')).body.data
    const { creator_user_id, name } = keys.find((key: any) => key.name.startsWith('Token'))
    assert.deepEqual([creator_user_id, name], [userId, 'Token, guardrail CI'])
    assert.equal((await complete(service, await issuer.sign({ ...claims, policy: 'none' }))).status, 403)
    assert.equal((await complete(service, await issuer.sign(claims))).status, 401)
    const elsewhere = { ...claims, team: { workspace: 'default-2' }, policy: 'CI' }
    assert.equal((await complete(service, await issuer.sign(elsewhere))).status, 403)
  })
})

test('the expiry of a token ends its streams', async () => {
  const clock = { ms: Date.now() }
  await using issuer = await startTokenIssuer()
  await using service = await startTestService({ settings: settingsFor(issuer), now: () => clock.ms })
  await addMember(service)
  const token = await issuer.sign({ sub: 'ci:build' })
  const body = {
    model: 'signalbox/demo',
    stream: true,
    messages: [{ role: 'user', content: 'demo:words=1000 demo:pace=60' }],
  }
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const response = await fetch(`${service.url}/chat/completions`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  })
  let text = ''
  const read = async () => {
    for await (const chunk of response.body!) text += Buffer.from(chunk).toString()
  }
  const reading = read()
  await until(() => text.includes('word'))
  clock.ms += 3_600_000
  await reading
  assert.match(text, /The token of this request has expired/)
  assert.equal((await complete(service, token)).status, 401)
})

test('no forged, foreign or expired token is accepted', async () => {
  await using issuer = await startTokenIssuer()
  await using other = await startTokenIssuer()
  await using service = await startTestService({ settings: settingsFor(issuer) })
  await addMember(service)
  const good = { sub: 'ci:build' }
  const now = Math.floor(Date.now() / 1000)
  const foreign = await generateKeyPair('ES256', { extractable: true })
  const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const claims = encoded({ iss: issuer.url, aud: 'signalbox', exp: now + 600, ...good })
  const publicKey = await exportSPKI(issuer.pair.publicKey)
  const shared = `${encoded({ alg: 'HS256', kid: issuer.kid })}.${claims}`
  const valid = await issuer.sign(good)
  const critical = `${encoded({ alg: 'ES256', kid: issuer.kid, crit: ['x'], x: 1 })}.${claims}`
  const ownKey = { key: KeyObject.from(issuer.pair.privateKey), dsaEncoding: 'ieee-p1363' } as const
  const [head, , signature] = valid.split('.')
  const attacks: Record<string, string> = {
    'alg none': `${encoded({ alg: 'none' })}.${claims}.`,
    'alg none, signed': `${encoded({ alg: 'None', kid: issuer.kid })}.${claims}.${signature}`,
    'HS256 with the public key': `${shared}.${createHmac('sha256', publicKey).update(shared).digest('base64url')}`,
    'another audience': await issuer.sign({ ...good, aud: 'other' }),
    'no audience': await issuer.sign({ ...good, aud: undefined as never }),
    'another issuer': await other.sign(good),
    'the issuer in the wrong case': await issuer.sign({ ...good, iss: issuer.url.toUpperCase() }),
    'the name of the issuer, another key': await issuer.sign(good, { pair: foreign }),
    'an expired token': await issuer.sign({ ...good, exp: now - 60 }),
    'no expiry': await issuer.sign({ ...good, exp: undefined as never }),
    'not yet valid': await issuer.sign({ ...good, nbf: now + 600 }),
    'a key ID that is a path': await issuer.sign(good, { pair: foreign, header: { kid: '../../../../dev/null' } }),
    'a key ID that is a URL': await issuer.sign(good, { pair: foreign, header: { kid: `${other.url}/keys` } }),
    'a key in the header': await issuer.sign(good, { pair: foreign, header: { jku: `${other.url}/keys` } as never }),
    'changed claims': `${head}.${encoded({ iss: issuer.url, aud: 'signalbox', exp: now + 9999, sub: 'x' })}.${signature}`,
    'an unknown critical header': `${critical}.${sign('sha256', Buffer.from(critical), ownKey).toString('base64url')}`,
    'an unknown member': await issuer.sign({ sub: 'ci:other' }),
    'an address instead of an account': await issuer.sign({ sub: 'ci@example.com', email: 'ci@example.com' }),
    'a member that is a property of objects': await issuer.sign({ sub: 'constructor' }),
    'a subject that is a list': await issuer.sign({ sub: ['ci:build'] as never }),
    'a huge token': `${head}.${'a'.repeat(12_000)}.${signature}`,
    'no JSON': 'a.b.c',
  }
  for (const [name, token] of Object.entries(attacks)) {
    const { status, text } = await complete(service, token)
    assert.deepEqual([name, status === 401 || status === 431], [name, true], text)
  }
  assert.deepEqual(other.requests, [])
  assert.equal((await service.ask('GET', '/keys', { key: valid })).status, 403)
  assert.equal((await complete(service, valid)).status, 200)
})

test('tokens are accepted only with a setting, and not of viewers or former members', async () => {
  await using issuer = await startTokenIssuer()
  await using closed = await startTestService()
  const token = await issuer.sign({ sub: 'ci:build' })
  assert.equal((await complete(closed, token)).status, 401)
  await using service = await startTestService({ settings: settingsFor(issuer) })
  const id = await addMember(service, 'viewer')
  assert.equal((await complete(service, token)).status, 403)
  await service.manage('PATCH', `/organization/members/${id}`, { access: 'developer' })
  assert.equal((await complete(service, token)).status, 200)
  const { data } = (await service.manage('GET', '/keys')).body
  const { hash } = data.find((key: any) => key.name === 'Token')
  await service.manage('PATCH', `/keys/${hash}`, { disabled: true })
  assert.equal((await complete(service, token)).status, 401)
  await service.manage('PATCH', `/keys/${hash}`, { disabled: false })
  await service.manage('DELETE', `/organization/members/${id}`)
  assert.equal((await complete(service, token)).status, 401)
  assert.equal((await service.ask('GET', '/key', { key: `token:${id}` })).status, 401)
})

test('an email address names a member only if the token says that it is verified', async () => {
  await using issuer = await startTokenIssuer()
  const settings = settingsFor(issuer, { jwt_member_claim: 'email' })
  await using service = await startTestService({ settings })
  await addMember(service)
  const status = async (claims: object) => (await complete(service, await issuer.sign({ sub: '1', ...claims }))).status
  assert.equal(await status({ email: 'ci@example.com' }), 401)
  assert.equal(await status({ email: 'ci@example.com', email_verified: false }), 401)
  assert.equal(await status({ email: 'ci@example.com', email_verified: true }), 200)
})

test('keys of the issuer are cached, and used while it does not answer', async () => {
  const clock = { ms: Date.now() }
  await using issuer = await startTokenIssuer()
  await using service = await startTestService({ settings: settingsFor(issuer), now: () => clock.ms })
  await addMember(service)
  issuer.isUp = false
  const early = await complete(service, await issuer.sign({ sub: 'ci:build' }))
  assert.deepEqual([early.status, early.headers.get('retry-after') !== null], [503, true])
  const count = issuer.requests.length
  assert.equal((await complete(service, await issuer.sign({ sub: 'ci:build' }))).status, 503)
  assert.equal(issuer.requests.length, count)
  issuer.isUp = true
  clock.ms += 5_000
  for (let n = 0; n < 3; n++)
    assert.equal((await complete(service, await issuer.sign({ sub: 'ci:build' }))).status, 200)
  assert.deepEqual(issuer.requests.slice(count), ['/.well-known/openid-configuration', '/keys'])
  issuer.isUp = false
  assert.equal((await complete(service, await issuer.sign({ sub: 'ci:build' }))).status, 200)
})

test('the Anthropic SDK exchanges a token and sends messages with it', async () => {
  await using issuer = await startTokenIssuer()
  await using service = await startTestService({ settings: settingsFor(issuer) })
  const userId = await addMember(service)
  const origin = new URL(service.url).origin
  const exchange = (more: object = {}) =>
    oidcFederationProvider({
      identityTokenProvider: () => issuer.sign({ sub: 'ci:build' }),
      ...{ federationRuleId: 'default', organizationId: 'default', baseURL: origin, fetch, ...more },
    })()
  const { token, expiresAt } = await exchange({ workspaceId: 'default', serviceAccountId: 'ci@example.com' })
  assert.ok(Math.abs(expiresAt! - Date.now() / 1000 - 605) < 60, String(expiresAt))
  const client = new Anthropic({ baseURL: origin, apiKey: null, authToken: token, maxRetries: 0 })
  const message = await client.messages.create({
    ...{ model: 'signalbox/demo', max_tokens: 100, messages: [{ role: 'user', content: 'Hello' }] },
  })
  assert.equal(message.role, 'assistant')
  const wrong: object[] = [
    { organizationId: 'other' },
    { workspaceId: 'other' },
    { serviceAccountId: 'owner@localhost' },
    { identityTokenProvider: () => issuer.sign({ sub: 'ci:build', aud: 'other' }) },
  ]
  for (const one of wrong) await assert.rejects(exchange(one), /status 401/)
  await assert.rejects(exchange({ federationRuleId: 'other' }), /status 400/)
  assert.ok(userId)
})

test('a token with a huge expiry is exchanged for one with a finite lifetime', async () => {
  await using issuer = await startTokenIssuer()
  await using service = await startTestService({ settings: settingsFor(issuer) })
  await addMember(service)
  const assertion = await issuer.sign({ sub: 'ci:build', exp: 1e308 })
  const body = { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion }
  const exchanged = await service.ask('POST', '/oauth/token', { key: null, body })
  assert.deepEqual([exchanged.status, Number.isSafeInteger(exchanged.body.expires_in)], [200, true], exchanged.text)
})
