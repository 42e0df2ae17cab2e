import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { onEachDatabase } from '#test/harness/database/databases.ts'
import { browserWith, openBrowser, originOf, signIn } from '#test/harness/service/browser-client.ts'
import { startTestService, type TestService } from '#test/harness/service/service.ts'
import { until } from '#test/harness/until.ts'

async function member(service: TestService, role = 'org:member') {
  const person = { email: 'ada@example.com', name: 'Ada Lovelace', role }
  const { body } = await service.manage('POST', '/organization/members', person)
  const { body: created } = await service.manage('POST', '/keys', { name: 'Ada', creator_user_id: body.data.id })
  return { id: body.data.id as string, key: created.key as string, hash: created.data.hash as string }
}

async function linkFor(service: TestService, user_id?: string) {
  const { body, status } = await service.manage('POST', '/sessions/links', { user_id })
  assert.equal(status, 201, JSON.stringify(body))
  return body.data as { token: string; url: string; expires_at: string }
}

const statusOf = async (browser: Awaited<ReturnType<typeof openBrowser>>, path = '/sessions/current') =>
  (await browser.ask('GET', path)).status

onEachDatabase('sessions of browsers', (kind) => {
  test('a management key signs in, and the session has the permissions of its member', async () => {
    await using service = await startTestService({ kind })
    const browser = await openBrowser(service, { key: service.managementKey })
    const { id, csrf_token, member, organization, workspace, role, created_at, expires_at, idle_expires_at } =
      browser.session
    assert.match(id, /^[0-9a-f-]{36}$/)
    assert.match(csrf_token, /^[\w-]{43}$/)
    assert.deepEqual(
      [member.name, organization.name, workspace.name, role],
      ['Owner', 'My organization', 'Default', 'owner'],
    )
    assert.ok(created_at < idle_expires_at && idle_expires_at < expires_at)
    assert.equal((await browser.ask('POST', '/keys', { body: { name: 'made in a browser' } })).status, 201)
    const requestBody = { model: 'signalbox/demo', messages: [{ role: 'user', content: 'Hello' }] }
    assert.equal((await browser.ask('POST', '/chat/completions', { body: requestBody })).status, 200)
    assert.equal(await statusOf(browser, '/interns'), 200)
    assert.equal(await statusOf(browser, '/models'), 200)
    const current = await browser.ask('GET', '/sessions/current')
    assert.deepEqual(current.body.data, browser.session)
  })

  test('an API key signs in, and the session has the permissions of the key', async () => {
    await using service = await startTestService({ kind })
    const browser = await openBrowser(service, { key: service.apiKey })
    assert.equal(browser.session.role, 'developer')
    assert.equal(await statusOf(browser, '/interns'), 200)
    assert.equal((await browser.ask('GET', '/key')).body.data.name, 'First API key')
    assert.equal(await statusOf(browser, '/organization'), 403)
    assert.equal((await browser.ask('POST', '/keys', { body: { name: 'x' } })).status, 403)
  })

  test('an API key whose member does not belong to its workspace cannot sign in', async () => {
    await using service = await startTestService({ kind })
    const { id } = await member(service, 'org:admin')
    const { body } = await service.manage('POST', '/workspaces', { name: 'Other', slug: 'other' })
    const fields = { name: 'other', workspace_id: body.data.id, creator_user_id: id }
    const { key } = (await service.manage('POST', '/keys', fields)).body
    await service.manage('PATCH', `/organization/members/${id}`, { access: 'developer' })
    const refused = await signIn(service, { key })
    assert.equal(refused.status, 403, refused.text)
    assert.match(refused.body.error.message, /does not belong to the workspace of the key/)
    assert.equal((await service.manage('GET', '/sessions')).body.total_count, 0)
  })

  test('a change in a session is in the audit log, with the person and the session', async () => {
    await using service = await startTestService({ kind })
    const { id } = await member(service, 'org:admin')
    const browser = await openBrowser(service, { link: (await linkFor(service, id)).token })
    await browser.ask('POST', '/keys', { body: { name: 'made in a browser' } })
    const { data } = (await service.manage('GET', '/audit?limit=1')).body
    assert.deepEqual([data[0].action, data[0].after.name], ['key.created', 'made in a browser'])
    const { user_id, user_name, user_email, session_id } = data[0].actor
    assert.deepEqual([user_id, user_name, user_email], [id, 'Ada Lovelace', 'ada@example.com'])
    assert.equal(session_id, browser.session.id)
    const started = (await service.manage('GET', '/audit?action=session.started')).body.data[0]
    assert.deepEqual([started.target.id, started.after.method], [browser.session.id, 'link'])
  })

  test('a session ends when the key that started it is disabled, expired or deleted', async () => {
    await using service = await startTestService({ kind })
    const { id, key, hash } = await member(service)
    const browser = await openBrowser(service, { key })
    assert.equal(await statusOf(browser), 200)
    await service.manage('PATCH', `/keys/${hash}`, { disabled: true })
    assert.equal(await statusOf(browser), 401)
    await service.manage('PATCH', `/keys/${hash}`, { disabled: false })
    assert.equal(await statusOf(browser), 200)
    await service.manage('DELETE', `/keys/${hash}`)
    assert.equal(await statusOf(browser), 401)
    const short = { name: 'short', creator_user_id: id, expires_at: new Date(Date.now() + 1500).toISOString() }
    const { body } = await service.manage('POST', '/keys', short)
    const brief = await openBrowser(service, { key: body.key })
    await until(async () => (await statusOf(brief)) === 401)
  })

  test('a session ends with the membership, although the key still works', async () => {
    await using service = await startTestService({ kind })
    const { id, key } = await member(service)
    const browser = await openBrowser(service, { key })
    assert.equal(await statusOf(browser), 200)
    await service.manage('DELETE', `/organization/members/${id}`)
    assert.equal(await statusOf(browser), 401)
    assert.equal((await service.ask('GET', '/key', { key })).status, 200)
    assert.equal((await signIn(service, { key })).status, 403)
  })

  test('a session is listed and ended by itself, its member and managers only', async () => {
    await using service = await startTestService({ kind })
    const { key } = await member(service)
    const [ada, ada2, owner] = [
      await openBrowser(service, { key }),
      await openBrowser(service, { key }),
      await openBrowser(service, { key: service.managementKey }),
    ]
    const seen = async (browser: typeof ada) =>
      (await browser.ask('GET', '/sessions')).body.data.map((one: any) => one.id).sort()
    assert.deepEqual(await seen(ada), [ada.session.id, ada2.session.id].sort())
    assert.equal((await seen(owner)).length, 3)
    assert.deepEqual((await service.ask('GET', '/sessions')).body, { data: [], total_count: 0 })
    const stolen = await ada.ask('DELETE', `/sessions/${owner.session.id}`)
    assert.equal(stolen.status, 404)
    assert.equal((await service.ask('DELETE', `/sessions/${ada.session.id}`)).status, 404)
    assert.equal((await ada.ask('DELETE', `/sessions/${ada2.session.id}`)).status, 200)
    assert.equal(await statusOf(ada2), 401)
    const out = await ada.ask('DELETE', '/sessions/current')
    assert.match(out.headers.get('set-cookie')!, /^signalbox_session=; .*Max-Age=0/)
    assert.equal(await statusOf(ada), 401)
    assert.equal((await service.manage('DELETE', `/sessions/${owner.session.id}`)).status, 200)
    assert.equal(await statusOf(owner), 401)
  })

  test('a session ends after its idle time, and at the latest after its maximum', async () => {
    let now = Date.now()
    await using service = await startTestService({
      kind,
      now: () => now,
      settings: { session_idle_minutes: 30, session_hours: 2 },
    })
    const open = () => openBrowser(service, { key: service.apiKey })
    const [idle, used] = [await open(), await open()]
    for (const minutes of [20, 20, 20, 20, 20]) {
      now += minutes * 60_000
      assert.equal(await statusOf(used), 200)
      const { idle_expires_at } = (await used.ask('GET', '/sessions/current')).body.data
      await until(async () => {
        const { data } = (await used.ask('GET', '/sessions/current')).body
        return Date.parse(data.idle_expires_at) > now + 1 && data.idle_expires_at >= idle_expires_at
      })
      await until(async () => {
        const mine = (await used.ask('GET', '/sessions')).body.data.find((one: any) => one.is_current)
        return Date.parse(mine.last_used_at) === now
      })
    }
    assert.equal(await statusOf(idle), 401)
    now += 20 * 60_000
    assert.equal(await statusOf(used), 401)
    assert.equal((await service.ask('GET', '/key')).status, 200)
  })

  test('a link signs its member in, once, though two use it at once', async () => {
    await using service = await startTestService({ kind })
    const { id } = await member(service, 'org:admin')
    const { token, url } = await linkFor(service, 'ada@example.com')
    assert.equal(url, `${originOf(service)}/#sign-in=${token}`)
    const replies = await Promise.all([1, 2, 3].map(() => signIn(service, { link: token })))
    assert.deepEqual(replies.map(({ status }) => status).sort(), [201, 401, 401])
    const browser = browserWith(service, replies.find(({ status }) => status === 201)!)
    assert.deepEqual([browser.session.member.id, browser.session.role], [id, 'admin'])
    assert.equal((await signIn(service, { link: token })).status, 401)
    assert.equal((await browser.ask('GET', '/key')).body.data.name, 'Console')
  })

  test('a link expires after 15 minutes or when its member has left', async () => {
    let now = Date.now()
    await using service = await startTestService({ kind, now: () => now })
    const { id } = await member(service, 'org:admin')
    const [late, left] = [await linkFor(service, id), await linkFor(service, id)]
    now += 14 * 60_000
    await service.manage('DELETE', `/organization/members/${id}`)
    assert.equal((await signIn(service, { link: left.token })).status, 401)
    await service.manage('POST', '/organization/members', { email: 'ada@example.com', name: 'Ada' })
    now += 61_000
    const { status, body } = await signIn(service, { link: late.token })
    assert.equal(status, 401)
    assert.match(body.error.message, /older than 15 minutes.*npx signalbox sessions link/)
  })

  test('links and sessions of a removed member stay invalid after the member returns', async () => {
    await using service = await startTestService({ kind })
    const { id } = await member(service, 'org:admin')
    const browser = await openBrowser(service, { link: (await linkFor(service, id)).token })
    const unused = await linkFor(service, id)
    await service.manage('DELETE', `/organization/members/${id}`)
    const { status } = await service.manage('POST', '/organization/members', { email: 'ada@example.com', name: 'Ada' })
    assert.equal(status, 201)
    assert.equal((await signIn(service, { link: unused.token })).status, 401)
    assert.equal((await browser.ask('GET', '/sessions/current')).status, 401)
  })

  test('a session is valid on all servers until it is ended on one', async () => {
    await using first = await startTestService({ kind })
    if (kind === 'sqlite') return
    await using second = await startTestService({ testStore: first.testStore })
    const here = await openBrowser(first, { key: first.apiKey })
    const there = browserWith(second, {
      headers: new Headers({ 'set-cookie': here.setCookie }),
      body: { data: here.session },
    })
    assert.equal(await statusOf(there), 200)
    await here.ask('DELETE', '/sessions/current')
    await until(async () => (await statusOf(there)) === 401)
  })
})

test('disabling the key named Console ends sessions by links, and refuses new ones', async () => {
  await using service = await startTestService()
  const { id } = await member(service, 'org:admin')
  const browser = await openBrowser(service, { link: (await linkFor(service, id)).token })
  const { hash } = (await browser.ask('GET', '/key')).body.data
  await service.manage('PATCH', `/keys/${hash}`, { disabled: true })
  assert.equal(await statusOf(browser), 401)
  const { status, body } = await signIn(service, { link: (await linkFor(service, id)).token })
  assert.equal(status, 403)
  assert.match(body.error.message, /"Console".*disabled/)
})

test('no bearer key matches a console key, because its hash input is not a key', async () => {
  await using service = await startTestService()
  const browser = await openBrowser(service, { key: service.managementKey })
  const { data } = (await service.manage('GET', '/keys')).body
  const created = data.find((key: any) => key.name === 'Console')
  assert.equal(created.creator_user_id, browser.session.member.id)
  const source = `console:${created.workspace_id}:${created.creator_user_id}`
  assert.equal((await service.ask('GET', '/key', { key: source })).status, 401)
})

test('a stream in flight ends with its session, with an error, and is not retained', async () => {
  await using service = await startTestService()
  const browser = await openBrowser(service, { key: service.apiKey })
  const content = 'demo:words=1000 demo:pace=60'
  const body = { model: 'signalbox/demo', stream: true, messages: [{ role: 'user', content }] }
  const headers = { cookie: browser.cookie, origin: originOf(service), 'x-csrf-token': browser.session.csrf_token }
  const response = await fetch(`${service.url}/chat/completions`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  assert.equal(response.headers.get('cache-control'), 'no-store')
  let text = ''
  const read = async () => {
    for await (const chunk of response.body!) text += Buffer.from(chunk).toString()
  }
  const reading = read()
  await until(() => text.includes('word'))
  await browser.ask('DELETE', '/sessions/current')
  await reading
  assert.match(text, /The session of this request has ended/)
})

test('a manager gets events until the session ends, also after its key was reloaded', async () => {
  await using service = await startTestService({ strictResponses: true })
  const browser = await openBrowser(service, { key: service.managementKey })
  const headers = { cookie: browser.cookie }
  const stream = await fetch(`${service.url}/events?types=generation`, { headers })
  let text = ''
  const read = async () => {
    for await (const chunk of stream.body!) text += Buffer.from(chunk).toString()
  }
  const reading = read()
  const { body } = await service.manage('POST', '/workspaces', { name: 'Other', slug: 'other' })
  const created = await service.manage('POST', '/keys', { name: 'other', workspace_id: body.data.id })
  await service.manage('POST', '/organization/members', { email: 'ada@example.com', name: 'Ada' })
  const requestBody = { model: 'signalbox/demo', messages: [{ role: 'user', content: 'Hello' }] }
  await service.ask('POST', '/chat/completions', { key: created.body.key, body: requestBody })
  await until(() => text.includes(created.body.data.hash))
  await browser.ask('DELETE', '/sessions/current')
  await reading
  assert.match(text, /event: end\ndata: .*The session of this request has ended/)
})

test('a sign-in link and a feed start with public_url, not the Host header', async () => {
  const public_url = 'https://signalbox.example'
  await using service = await startTestService({ settings: { public_url } })
  const { port, pathname } = new URL(service.url)
  const ask = async (method: string, path: string, body: string) => {
    const headers = {
      host: 'evil.example',
      authorization: `Bearer ${service.managementKey}`,
      'content-type': 'application/json',
    }
    const asking = request({ port, method, path: pathname + path, headers }).end(body)
    const [response] = await once(asking, 'response')
    return text(response)
  }
  const { url } = JSON.parse(await ask('POST', '/sessions/links', '{}')).data
  assert.equal(new URL(url).origin, public_url)
  const feed = await ask('GET', '/models?use_rss=true', '')
  assert.deepEqual([feed.includes(public_url), feed.includes('evil.example')], [true, false])
})
