import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '#test/harness/database/databases.ts'
import { startTestService, type TestService } from '#test/harness/service/service.ts'
import { assertion, registration, type SoftPasskey, softPasskey } from '#test/harness/service/sign-in/authenticator.ts'

/** The console of a service at `localhost`, where browsers support passkeys. */
function consoleAt(service: TestService) {
  const url = service.url.replace('127.0.0.1', 'localhost')
  const { origin } = new URL(url)
  const ask = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const reply = await fetch(url + path, {
      method,
      headers: { origin, ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const response = (await reply.json()) as any
    return { status: reply.status, body: response, headers: reply.headers }
  }
  const start = async (proof: object) => {
    const { status, body, headers } = await ask('POST', '/sessions', proof)
    assert.equal(status, 201, JSON.stringify(body))
    const own = { cookie: headers.get('set-cookie')!.split(';')[0]!, 'x-csrf-token': body.data.csrf_token }
    return { session: body.data, ask: (method: string, path: string, sent?: unknown) => ask(method, path, sent, own) }
  }
  return { origin, rpId: 'localhost', ask, start }
}

type At = ReturnType<typeof consoleAt>
type Session = Awaited<ReturnType<At['start']>>

async function memberSession(service: TestService, at: At, name: string, access = 'developer') {
  const person = { email: `${name}@example.com`, name, access }
  const { id } = (await service.manage('POST', '/organization/members', person)).body.data
  const link = (await service.manage('POST', '/sessions/links', { user_id: id })).body.data.token
  return { id: id as string, session: await at.start({ link }) }
}

async function added(at: At, { ask }: Session, name = 'Laptop') {
  const { status, body } = await ask('POST', '/passkeys/options')
  assert.equal(status, 200, JSON.stringify(body))
  const { challenge, user } = body.data
  const passkey = softPasskey(user.id)
  const response = registration(passkey, { ...at, challenge })
  const created = await ask('POST', '/passkeys', { name, response })
  assert.equal(created.status, 201, JSON.stringify(created.body))
  return { passkey, response, id: created.body.data.id as string }
}

const newChallenge = async ({ ask }: At): Promise<string> =>
  (await ask('POST', '/sessions/passkeys/options')).body.data.challenge

const signature = async (at: At, passkey: SoftPasskey, changes: object = {}) =>
  assertion(passkey, { ...at, challenge: await newChallenge(at), ...changes })

const signedIn = async (at: At, passkey: SoftPasskey) => at.start({ passkey: await signature(at, passkey) })

onEachDatabase('passkeys', (kind) => {
  test('a member adds two passkeys after a link, signs in with either, and deletes one', async () => {
    await using service = await startTestService({ kind })
    const at = consoleAt(service)
    const { id, session } = await memberSession(service, at, 'ada')
    const [laptop, phone] = [await added(at, session), await added(at, session, 'Phone')]
    const first = await signedIn(at, laptop.passkey)
    const second = await signedIn(at, phone.passkey)
    assert.deepEqual([first.session.method, first.session.member.id, first.session.role], ['passkey', id, 'developer'])
    await first.ask('PATCH', `/passkeys/${phone.id}`, { name: 'Old phone' })
    const listed = (await first.ask('GET', '/passkeys')).body
    assert.deepEqual(
      [listed.total_count, listed.data.map((one: any) => one.name).sort(), listed.data[0].member.name],
      [2, ['Laptop', 'Old phone'], 'ada'],
    )
    assert.ok(listed.data.every((one: any) => one.last_used_at !== null))
    assert.ok(!JSON.stringify(listed).includes('public_key'))
    assert.deepEqual((await first.ask('DELETE', `/passkeys/${phone.id}`)).body, { deleted: true, ended_sessions: 1 })
    assert.equal((await second.ask('GET', '/sessions/current')).status, 401)
    assert.equal((await first.ask('GET', '/sessions/current')).status, 200)
    const actions = (await service.manage('GET', '/audit?target_kind=passkey')).body.data.map((one: any) => one.action)
    assert.deepEqual(actions, ['passkey.deleted', 'passkey.updated', 'passkey.created', 'passkey.created'])
  })

  test('no forged or repeated response to a challenge signs in', async () => {
    const clock = { ms: Date.now() }
    // Each attack comes from another address, so that the limit on failed attempts does not stop it first.
    await using service = await startTestService({
      kind,
      now: () => clock.ms,
      settings: { trusted_proxies: ['127.0.0.1'] },
    })
    await using otherService = await startTestService()
    const at = consoleAt(service)
    const ada = await memberSession(service, at, 'ada')
    const bob = await memberSession(service, at, 'bob')
    const { passkey } = await added(at, ada.session)
    const bobs = (await added(at, bob.session)).passkey
    const lost = await added(at, bob.session, 'Lost phone')
    await bob.session.ask('DELETE', `/passkeys/${lost.id}`)
    passkey.counter = 5
    const used = await signature(at, passkey)
    await at.start({ passkey: used })
    const later = { ...passkey, counter: 6 }
    const expired = await newChallenge(at)
    clock.ms += 5 * 60_000 + 1
    const registrationChallenge = (await ada.session.ask('POST', '/passkeys/options')).body.data.challenge

    const attacks: Record<string, object> = {
      'a response that was used': used,
      'a counter that does not change': await signature(at, passkey),
      'a counter that goes back': await signature(at, { ...passkey, counter: 4 }),
      'another origin': await signature(at, later, { origin: 'https://evil.example' }),
      'another port': await signature(at, later, { origin: 'http://localhost:1' }),
      'another host name': await signature(at, later, { rpId: 'evil.example' }),
      'a frame in a page of another origin': await signature(at, later, { crossOrigin: true }),
      'a response to a registration': await signature(at, later, { type: 'webauthn.create' }),
      'a user who was not verified': await signature(at, later, { flags: 0x01 }),
      'the credential of another member': await signature(at, { ...bobs, userHandle: passkey.userHandle }),
      'the key of another credential': await signature(at, { ...later, privateKey: bobs.privateKey }),
      'an unknown credential': await signature(at, softPasskey(passkey.userHandle)),
      'a deleted passkey': await signature(at, lost.passkey),
      'an expired challenge': await signature(at, later, { challenge: expired }),
      'a challenge that nobody issued': await signature(at, later, { challenge: 'a'.repeat(43) }),
      'a challenge of another service': await signature(at, later, {
        challenge: await newChallenge(consoleAt(otherService)),
      }),
      'a challenge for a new passkey': await signature(at, later, { challenge: registrationChallenge }),
    }
    let sent = 0
    for (const [name, response] of Object.entries(attacks)) {
      const from = { 'x-forwarded-for': `192.0.2.${++sent}` }
      const { status, headers } = await at.ask('POST', '/sessions', { passkey: response }, from)
      assert.deepEqual([name, status, headers.get('set-cookie')], [name, 401, null])
    }
    await at.start({ passkey: await signature(at, later) })
  })

  test('two sign-ins with one response at once start one session', async () => {
    await using service = await startTestService({ kind })
    const at = consoleAt(service)
    const { session } = await memberSession(service, at, 'ada')
    const { passkey } = await added(at, session)
    const response = await signature(at, passkey)
    const replies = await Promise.all([1, 2, 3].map(() => at.ask('POST', '/sessions', { passkey: response })))
    assert.deepEqual(replies.map(({ status }) => status).sort(), [201, 401, 401])
  })
})

test('a passkey is added only with the options of the member, once', async () => {
  await using service = await startTestService()
  const at = consoleAt(service)
  const ada = await memberSession(service, at, 'ada')
  const bob = await memberSession(service, at, 'bob')
  const { passkey, response } = await added(at, ada.session)
  const challengeOf = async ({ session }: typeof ada): Promise<string> =>
    (await session.ask('POST', '/passkeys/options')).body.data.challenge
  const fresh = softPasskey(passkey.userHandle)
  const passkeyId = passkey.id.toString('base64url')
  const attacks: [string, number, object][] = [
    ['a response that was used', 400, response],
    ['options of another member', 400, registration(fresh, { ...at, challenge: await challengeOf(bob) })],
    ['options of a sign-in', 400, registration(fresh, { ...at, challenge: await newChallenge(at) })],
    [
      'another origin',
      400,
      registration(fresh, { ...at, challenge: await challengeOf(ada), origin: 'https://evil.example' }),
    ],
    [
      'a frame in a page of another origin',
      400,
      registration(fresh, { ...at, challenge: await challengeOf(ada), crossOrigin: true }),
    ],
    [
      'the ID of another credential',
      400,
      { ...registration(fresh, { ...at, challenge: await challengeOf(ada) }), id: passkeyId, rawId: passkeyId },
    ],
    ['another host name', 400, registration(fresh, { ...at, challenge: await challengeOf(ada), rpId: 'evil.example' })],
    [
      'a user who was not verified',
      400,
      registration(fresh, { ...at, challenge: await challengeOf(ada), flags: 0x01 }),
    ],
    ['a credential that exists', 409, registration(passkey, { ...at, challenge: await challengeOf(ada) })],
  ]
  for (const [name, expected, answer] of attacks) {
    const { status } = await ada.session.ask('POST', '/passkeys', { name, response: answer })
    assert.deepEqual([name, status], [name, expected])
  }
  assert.equal((await service.manage('GET', '/passkeys')).body.total_count, 1)
})

test('passkeys are closed to API keys, and those of others to developers', async () => {
  await using service = await startTestService()
  const at = consoleAt(service)
  const ada = await memberSession(service, at, 'ada')
  const bob = await memberSession(service, at, 'bob', 'viewer')
  const admin = await memberSession(service, at, 'admin', 'admin')
  const { id } = await added(at, ada.session)
  const pasted = await at.start({ key: service.apiKey })
  assert.equal((await pasted.ask('POST', '/passkeys/options')).status, 403)
  assert.equal((await pasted.ask('GET', '/passkeys')).status, 403)
  assert.equal((await service.ask('DELETE', `/passkeys/${id}`)).status, 403)
  assert.equal((await service.manage('POST', '/passkeys/options')).status, 403)
  assert.equal((await bob.session.ask('DELETE', `/passkeys/${id}`)).status, 404)
  assert.equal((await bob.session.ask('GET', '/passkeys')).body.total_count, 0)
  assert.equal((await bob.session.ask('GET', `/passkeys?user_id=${ada.id}`)).status, 403)
  assert.equal((await admin.session.ask('GET', '/passkeys?user_id=ada@example.com')).body.total_count, 1)
  assert.equal((await admin.session.ask('DELETE', `/passkeys/${id}`)).status, 200)
})

test('a member who leaves and returns has no passkeys any more', async () => {
  await using service = await startTestService()
  const at = consoleAt(service)
  const { id, session } = await memberSession(service, at, 'ada')
  const { passkey } = await added(at, session)
  await service.manage('DELETE', `/organization/members/${id}`)
  await service.manage('POST', '/organization/members', { email: 'ada@example.com', name: 'Ada' })
  const { status } = await at.ask('POST', '/sessions', { passkey: await signature(at, passkey) })
  assert.equal(status, 401)
})

test('passkeys are offered at localhost and host names with TLS, not at addresses', async () => {
  await using service = await startTestService({ settings: { trusted_proxies: ['127.0.0.1'] } })
  const methodsAt = async (host: string, proto = 'https') => {
    const headers = { 'x-forwarded-host': host, 'x-forwarded-proto': proto }
    return (await service.ask('GET', '/sessions/methods', { key: null, headers })).body.data as string[]
  }
  assert.ok((await methodsAt('signalbox.example')).includes('passkey'))
  assert.ok((await methodsAt('localhost:8080', 'http')).includes('passkey'))
  assert.ok(!(await methodsAt('signalbox.example', 'http')).includes('passkey'))
  assert.ok(!(await methodsAt('192.0.2.1')).includes('passkey'))
  assert.ok(!(await methodsAt('[2001:db8::1]')).includes('passkey'))
  const refused = await service.ask('POST', '/sessions/passkeys/options', { key: null })
  assert.equal(refused.status, 409)
  assert.match(refused.body.error.message, /Passkeys do not work at http:\/\/127\.0\.0\.1:\d+\. Open the console at /)
})

test('challenges are limited for each address', async () => {
  await using service = await startTestService()
  const at = consoleAt(service)
  const replies = await Promise.all(Array.from({ length: 80 }, () => at.ask('POST', '/sessions/passkeys/options')))
  const refused = replies.filter(({ status }) => status === 429)
  assert.ok(refused.length > 0 && refused.length <= 20, String(refused.length))
})
