import assert from 'node:assert/strict'
import { test } from 'node:test'
import { routes } from '#api/routes/routes.ts'
import { openDb } from '#platform/db/open.ts'
import { browserWith, openBrowser, originOf, signIn } from '../harness/service/browser-client.ts'
import { startTestService, type TestService } from '../harness/service/service.ts'

const madeKeys = async (service: TestService) => (await service.manage('GET', '/keys')).body.total_count as number

test('a page of another origin cannot change anything', async () => {
  await using service = await startTestService()
  const owner = await openBrowser(service, { key: service.managementKey })
  const other = await openBrowser(service, { key: service.apiKey })
  const before = await madeKeys(service)
  const token = owner.session.csrf_token
  const host = new URL(service.url).host
  const forged: Record<string, string>[] = [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: `https://${host}` },
    { origin: `http://${host}.evil.example` },
    { origin: `http://127.0.0.1:${Number(new URL(service.url).port) + 1}` },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'none' },
    { 'x-csrf-token': '' },
    { 'x-csrf-token': token.slice(0, -1) },
    { 'x-csrf-token': other.session.csrf_token },
  ]
  for (const headers of forged) {
    const { status, body } = await owner.ask('POST', '/keys', { body: { name: 'forged' }, headers })
    assert.equal(status, 403, JSON.stringify(headers))
    assert.ok(!JSON.stringify(body).includes(token))
  }
  const { cookie } = owner
  const without: Record<string, string>[] = [
    { cookie },
    { cookie, 'x-csrf-token': token },
    { cookie, origin: originOf(service) },
  ]
  for (const headers of without) {
    const { status } = await service.ask('POST', '/keys', { key: null, body: { name: 'forged' }, headers })
    assert.equal(status, 403)
  }
  assert.equal(await madeKeys(service), before)
  assert.equal((await owner.ask('POST', '/keys', { body: { name: 'own' } })).status, 201)
})

test('every changing route refuses a cookie that the console page did not send', async () => {
  await using service = await startTestService()
  const owner = await openBrowser(service, { key: service.managementKey })
  const { cookie } = owner
  const own = { origin: originOf(service), 'x-csrf-token': owner.session.csrf_token as string }
  const forged: Record<string, string>[] = [
    {},
    { origin: own.origin },
    { 'x-csrf-token': own['x-csrf-token'] },
    { ...own, origin: 'https://evil.example' },
    { ...own, 'sec-fetch-site': 'cross-site' },
  ]
  // They do not use the session of the browser. `createSession` has its own test of the origin.
  const withoutSession = ['answerByLink', 'createSession', 'createToken', 'createPasskeySignInOptions']
  const accepted: string[] = []
  for (const { method, path, operationId } of routes) {
    if (method === 'get' || withoutSession.includes(operationId!)) continue
    const target = path.replace(/\{\w+\}/g, '00000000-0000-7000-8000-000000000000')
    for (const headers of forged) {
      const body = method === 'delete' ? undefined : {}
      const response = await service.ask(method.toUpperCase(), target, {
        ...{ key: null, headers: { cookie, ...headers } },
        ...(body && { body }),
      })
      if (response.status !== 403) accepted.push(`${operationId} with ${Object.keys(headers)}: ${response.status}`)
    }
  }
  assert.deepEqual(accepted, [])
})

test('no form of another site is taken: its body is not declared as JSON', async () => {
  await using service = await startTestService()
  const owner = await openBrowser(service, { key: service.managementKey })
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
    const { status } = await owner.ask('POST', '/keys', { body: { name: 'x' }, headers: { 'content-type': type } })
    assert.equal(status, 415, type)
  }
})

test('a page of another origin cannot sign a user in', async () => {
  await using service = await startTestService()
  const foreign: Record<string, string>[] = [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }]
  for (const headers of foreign) {
    const { status, headers: response } = await signIn(service, { key: service.apiKey }, headers)
    assert.deepEqual([status, response.get('set-cookie')], [403, null])
  }
})

test('origins that are allowed to use keys cannot read with cookies', async () => {
  await using service = await startTestService({ settings: { cors_origins: ['https://app.example'] } })
  const browser = await openBrowser(service, { key: service.managementKey })
  const { headers } = await browser.ask('GET', '/sessions/current', { headers: { origin: 'https://app.example' } })
  assert.equal(headers.get('access-control-allow-credentials'), null)
  const { status } = await browser.ask('POST', '/keys', {
    body: { name: 'x' },
    headers: { origin: 'https://app.example' },
  })
  assert.equal(status, 403)
})

test('the session cookie is hidden from scripts, other sites and other hosts', async () => {
  await using service = await startTestService({ settings: { trusted_proxies: ['127.0.0.1'] } })
  const plain = await openBrowser(service, { key: service.apiKey })
  assert.match(
    plain.setCookie,
    /^signalbox_session=[0-9a-f-]{36}\.[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=604800$/,
  )
  const proxied = {
    'x-forwarded-proto': 'https',
    'x-forwarded-host': 'box.example.com',
    'x-forwarded-for': '192.0.2.7',
  }
  const reply = await signIn(service, { key: service.apiKey }, { ...proxied, origin: 'https://box.example.com' })
  const secure = browserWith(service, reply)
  assert.match(
    secure.setCookie,
    /^__Host-signalbox_session=\S+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=604800; Secure$/,
  )
  const over = async (cookie: string) =>
    (await service.ask('GET', '/key', { key: null, headers: { ...proxied, cookie } })).status
  assert.equal(await over(secure.cookie), 200)
  assert.equal(await over(secure.cookie.replace('__Host-', '')), 401)
  assert.equal((await service.manage('GET', '/sessions')).body.data[0].address, '192.0.2.7')
})

test('headers of untrusted proxies for scheme, host and address are ignored', async () => {
  await using service = await startTestService()
  const claims = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'evil.example', 'x-forwarded-for': '192.0.2.7' }
  assert.equal(
    (await signIn(service, { key: service.apiKey }, { ...claims, origin: 'https://evil.example' })).status,
    403,
  )
  const reply = await signIn(service, { key: service.apiKey }, claims)
  assert.match(reply.headers.get('set-cookie')!, /^signalbox_session=/)
  assert.equal((await service.manage('GET', '/sessions')).body.data[0].address, '127.0.0.1')
})

test('a session that was planted is not the one that a sign-in begins, and it is ended', async () => {
  await using service = await startTestService()
  const planted = await openBrowser(service, { key: service.apiKey })
  const reply = await signIn(service, { key: service.managementKey }, { cookie: planted.cookie })
  const own = browserWith(service, reply)
  assert.notEqual(own.session.id, planted.session.id)
  assert.notEqual(own.cookie, planted.cookie)
  assert.equal((await planted.ask('GET', '/key')).status, 401)
  const invented = `signalbox_session=00000000-0000-7000-8000-000000000000.${'a'.repeat(43)}`
  const next = await signIn(service, { key: service.apiKey }, { cookie: invented })
  assert.equal((await service.ask('GET', '/key', { key: null, headers: { cookie: invented } })).status, 401)
  assert.equal(next.status, 201)
})

test('two cookies of our name are refused, and a session id alone is useless', async () => {
  await using service = await startTestService()
  const browser = await openBrowser(service, { key: service.apiKey })
  const other = await openBrowser(service, { key: service.managementKey })
  const status = async (cookie: string) => (await service.ask('GET', '/key', { key: null, headers: { cookie } })).status
  assert.equal(await status(`theme=dark; ${browser.cookie}`), 200)
  assert.equal(await status(`${browser.cookie}; ${other.cookie}`), 401)
  const [, secret] = other.cookie.split('.')
  for (const token of [browser.session.id, `${browser.session.id}.`, `${browser.session.id}.${secret}`, '.', '%00']) {
    assert.equal(await status(`signalbox_session=${token}`), 401, token)
  }
})

test('a key that is sent wins over a cookie, and is not under the rules of cookies', async () => {
  await using service = await startTestService()
  const browser = await openBrowser(service, { key: service.apiKey })
  const headers = { cookie: browser.cookie }
  const created = await service.ask('POST', '/keys', { key: service.managementKey, headers, body: { name: 'by key' } })
  assert.equal(created.status, 201)
  assert.equal((await service.ask('GET', '/key', { key: 'sb-v1-no', headers })).status, 401)
})

test('answers to a cookie are never cached: errors, lists with a tag, events', async () => {
  await using service = await startTestService()
  const browser = await openBrowser(service, { key: service.managementKey })
  for (const path of ['/models', '/keys', '/key', '/sessions', '/sessions/current', '/generation?id=x', '/providers']) {
    const { headers } = await browser.ask('GET', path)
    assert.equal(headers.get('cache-control'), 'no-store', path)
  }
  await browser.ask('DELETE', '/sessions/current')
  assert.equal((await browser.ask('GET', '/models')).headers.get('cache-control'), 'no-store')
})

test('an address with too many failed sign-ins gets 429, others do not', async () => {
  await using service = await startTestService({ settings: { trusted_proxies: ['127.0.0.1'] } })
  const from = (address: string, key: string) => signIn(service, { key }, { 'x-forwarded-for': address })
  const wrongKey = `sb-v1-${'0'.repeat(64)}`
  for (let n = 0; n < 30; n++) assert.equal((await from('192.0.2.1', service.apiKey)).status, 201)
  const replies = await Promise.all(Array.from({ length: 60 }, () => from('192.0.2.1', wrongKey)))
  const refused = replies.filter(({ status }) => status === 429)
  assert.ok(replies.length - refused.length >= 10 && refused.length > 0, `${refused.length} were refused`)
  assert.match(refused[0]!.headers.get('retry-after')!, /^\d+$/)
  assert.equal((await from('192.0.2.2', service.apiKey)).status, 201)
  const network = await Promise.all(Array.from({ length: 60 }, (_, n) => from(`2001:db8::${n + 1}`, wrongKey)))
  assert.ok(
    network.some(({ status }) => status === 429),
    'all addresses of a /64 network count as one',
  )
})

test('neither the database nor an answer contains a session secret', async () => {
  await using service = await startTestService()
  const link = (await service.manage('POST', '/sessions/links', {})).body.data.token as string
  const browser = await openBrowser(service, { key: service.managementKey })
  const [, token] = browser.cookie.split('=')
  const db = await openDb(service.testStore.settings)
  const rows = await Promise.all([
    db.query.selectFrom('browser_sessions').selectAll().execute(),
    db.query.selectFrom('sign_in_links').selectAll().execute(),
    db.query.selectFrom('audit_events').selectAll().execute(),
  ])
  await db.close()
  const responses = await Promise.all(
    ['/sessions', '/sessions/current', '/audit'].map((path) => browser.ask('GET', path)),
  )
  const message = JSON.stringify(rows) + responses.map(({ text }) => text).join()
  for (const secret of [link, token!, token!.split('.')[1]!, service.managementKey])
    assert.ok(!message.includes(secret))
})

test('a cookie cannot change anything by HEAD or a method override', async () => {
  await using service = await startTestService()
  const browser = await openBrowser(service, { key: service.managementKey })
  const before = await madeKeys(service)
  for (const method of ['GET', 'HEAD']) {
    const headers = { 'x-http-method-override': 'POST', 'content-type': 'application/json' }
    assert.equal((await browser.ask(method, '/keys?_method=POST&name=x', { headers })).status, 200)
  }
  assert.equal(await madeKeys(service), before)
})
