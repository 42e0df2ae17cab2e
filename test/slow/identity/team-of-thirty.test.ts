import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { randomBytes, randomInt } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { noProxy, startDocumentedProxy } from '../../cluster/documented-proxy.ts'
import { examplesIn } from '../../docs/blocks.ts'
import { newPageFolder, runners } from '../../docs/run.ts'
import { noBrowser, startBrowser } from '../../harness/browser/chromium.ts'
import { newEmptyTestStore } from '../../harness/database/databases.ts'
import { createTestCa } from '../../harness/service/certificates.ts'
import { apiKey, managementKey, pricedCatalogue, usdOfWord } from '../../harness/service/load/priced-servers.ts'
import { startReceiver, verified } from '../../harness/service/receiver.ts'
import { type ServerProcess, startProcess } from '../../harness/service/server-process.ts'
import { client, RedirectFollower, startIssuer } from '../../harness/service/sign-in/oidc-issuer.ts'
import { until } from '../../harness/until.ts'

const skip = noProxy('haproxy') || noBrowser || (process.env.TEST_DATABASE_URL ? false : 'TEST_DATABASE_URL is not set')

const teams = ['search', 'support', 'research'] as const
type Team = (typeof teams)[number]
type Person = { email: string; name: string; team: Team; groups: string[] }

const people: Person[] = teams.flatMap((team) =>
  Array.from({ length: 10 }, (_, at) => {
    const name = `${team} ${at}`
    return { email: `${team}.${at}@example.com`, name, team, groups: [`team-${team}`, ...(at === 0 ? ['leads'] : [])] }
  }),
)

const groups = {
  'team-search': { workspace: 'search', role: 'developer' },
  'team-support': { workspace: 'support', role: 'developer' },
  'team-research': { workspace: 'research', role: 'developer' },
}

/** Two servers on Postgres behind haproxy with TLS, an issuer of OpenID Connect, and a receiver of webhooks. */
async function startWorld(stack: AsyncDisposableStack) {
  const testStore = await newEmptyTestStore('postgres')
  stack.defer(testStore.remove)
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-team-'))
  stack.defer(() => rmSync(folder, { recursive: true, force: true }))
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text, { mode: 0o600 })
    return join(folder, name)
  }
  const issuer = stack.use(await startIssuer())
  const receiver = stack.use(await startReceiver())
  const [part, port] = [`127.${randomInt(64, 255)}.${randomInt(255)}`, randomInt(20_000, 30_000)]
  const addresses = [`${part}.1:${port}`, `${part}.2:${port}`] as const
  const origin = `https://localhost:${port}`
  const keyFile = file('encryption.key', randomBytes(32).toString('hex'))
  const env = {
    PUBLIC_URL: origin,
    TRUSTED_PROXIES: '127.0.0.0/8',
    DATABASE_URL: testStore.settings.database_url,
    ENCRYPTION_KEY_FILE: keyFile,
    CATALOGUE_FILE: pricedCatalogue(folder),
    CONSOLE: 'true',
    WEBHOOK_ORIGINS: receiver.origin,
    BOOTSTRAP_MANAGEMENT_KEY: managementKey,
    BOOTSTRAP_API_KEY: apiKey,
    OIDC_ISSUER: issuer.url,
    OIDC_CLIENT_ID: client.oidc_client_id,
    OIDC_CLIENT_SECRET: client.oidc_client_secret,
    OIDC_DOMAINS: 'example.com',
    OIDC_DEFAULT_ROLE: 'developer',
    OIDC_GROUPS: JSON.stringify({ ...groups, leads: { workspace: 'search', role: 'admin' } }),
    DRAIN_MS: '2000',
  }
  const start = async (address: string): Promise<ServerProcess> => {
    const [HOST = '', PORT] = address.split(':')
    const server = stack.use(startProcess({ ...env, HOST, PORT, DATA_DIR: join(folder, HOST) }))
    await server.url
    return server
  }
  const servers = new Map<string, ServerProcess>()
  for (const address of addresses) servers.set(address, await start(address))

  const ca = await createTestCa()
  const { certificate, key } = await ca.issue({ name: 'localhost', as: 'server' })
  const trusted = file('ca.pem', ca.certificate)
  setDefaultCACertificates([...getCACertificates(), ca.certificate])
  const pem = file('haproxy.pem', `${certificate}\n${key}`)
  const proxy = stack.use(await startDocumentedProxy('haproxy', `127.0.0.1:${port}`, addresses, pem))
  issuer.serve({ url: proxy.url })
  return { testStore, issuer, receiver, servers, start, keyFile, trusted, proxy, url: proxy.url, origin }
}
type World = Awaited<ReturnType<typeof startWorld>>

/** Calls the API through the load balancer. @throws AssertionError unless the answer has the expected status. */
async function call(
  world: World,
  method: string,
  path: string,
  { key = managementKey, body, status = 200 }: Options = {},
) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const response = await fetch(world.url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  const text = await response.text()
  assert.equal(response.status, status, `${method} ${path}: ${text}`)
  return JSON.parse(text)
}
type Options = { key?: string; body?: object; status?: number }

/** The session of a person: their browser's cookie, with the token that changes need. */
async function signIn(world: World, person: Omit<Person, 'team'>) {
  const { email, name, groups } = person
  world.issuer.person = { id: email, claims: { email, email_verified: true, name, groups } }
  const browser = new RedirectFollower()
  const page = await browser.go(`${world.url}/sessions/oidc`)
  const html = await page.text()
  const cookie = [...(browser.jar.get(world.origin) ?? [])].map((pair) => pair.join('=')).join('; ')
  const response = await fetch(`${world.url}/sessions/current`, { headers: { cookie } })
  const { data } = (await response.json()) as { data?: { csrf_token: string } }
  return { status: page.status, html, cookie, session: data }
}
type SignedIn = Awaited<ReturnType<typeof signIn>>

/** Sends a request as the console of a signed-in person does. */
async function inBrowser(
  world: World,
  { cookie, session }: SignedIn,
  [method, path, body]: [method: string, path: string, body: { name: string; workspace_id: string }],
) {
  const headers = {
    cookie,
    origin: world.origin,
    'x-csrf-token': session!.csrf_token,
    'x-workspace': body.workspace_id,
    'content-type': 'application/json',
  }
  const response = await fetch(world.url + path, { method, headers, body: JSON.stringify(body) })
  return { status: response.status, body: (await response.json()) as any }
}

const words = (count: number) => ({
  model: 'signalbox/demo',
  max_tokens: count,
  messages: [{ role: 'user', content: `demo:words=${count}` }],
})

/** Runs the commands of the page, through the load balancer. */
async function followPage(world: World): Promise<void> {
  const page = readFileSync(new URL('../../../docs/team.md', import.meta.url), 'utf8')
  const folder = newPageFolder()
  const variables = {
    ...{ BASE_URL: world.url, MANAGEMENT_KEY: managementKey, API_KEY: apiKey },
    ...{ CURL_CA_BUNDLE: world.trusted, NODE_EXTRA_CA_CERTS: world.trusted },
  }
  for (const example of examplesIn(page.slice(0, page.indexOf('## 9.')))) {
    if (example.mark?.startsWith('not run')) continue
    await runners[example.language]!(example, { folder, variables })
  }
  rmSync(folder, { recursive: true })
}

test('a team of 30 follows docs/team.md on two servers, from sign-in to an upgrade', { skip }, async (t) => {
  await using stack = new AsyncDisposableStack()
  const world = await startWorld(stack)
  await followPage(world)
  const hook = await call(world, 'POST', '/webhooks', {
    status: 201,
    body: { url: world.receiver.url, workspace_id: 'search', events: ['limit.nearly_spent', 'limit.spent'] },
  })

  const signedIn = new Map<string, SignedIn>()
  const keys = new Map<string, { key: string; hash: string }>()
  await t.test('all sign in to their own team; others see whom to ask', async () => {
    for (const person of people) {
      const session = await signIn(world, person)
      assert.equal(session.status, 200, session.html)
      signedIn.set(person.email, session)
    }
    const stranger = await signIn(world, { email: 'new@example.com', name: 'New', groups: ['other'] })
    assert.equal(stranger.status, 403)
    assert.match(stranger.html, /workspace/)
    for (const team of teams) {
      const { data } = await call(world, 'GET', `/workspaces/${team}/members?limit=100`)
      const emails = data.map(({ email }: Person) => email)
      for (const person of people) {
        const belongs = person.team === team || (team === 'search' && person.groups.includes('leads'))
        assert.equal(emails.includes(person.email), belongs, `${person.email} in ${team}`)
      }
    }
  })

  await t.test('in Chromium a person signs in over TLS and sees the console', async () => {
    const { email, name, groups } = people[11]!
    world.issuer.person = { id: email, claims: { email, email_verified: true, name, groups } }
    await using browser = await startBrowser()
    const context = await browser.newContext({ ignoreHTTPSErrors: true })
    context.setDefaultTimeout(120_000)
    const page = await context.newPage()
    await page.goto(`${world.origin}/`)
    await page.getByRole('link', { name: /organization/ }).click()
    await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Chat' }).waitFor()
  })

  await t.test('all create a key in their own workspace only', async () => {
    for (const person of people) {
      const session = signedIn.get(person.email)!
      const created = await inBrowser(world, session, ['POST', '/keys', { name: 'mine', workspace_id: person.team }])
      assert.equal(created.status, 201, `${person.email}: ${JSON.stringify(created.body)}`)
      keys.set(person.email, { key: created.body.key, hash: created.body.data.hash })
      if (person.groups.includes('leads')) continue
      const other = teams.find((team) => team !== person.team)!
      const refused = await inBrowser(world, session, ['POST', '/keys', { name: 'theirs', workspace_id: other }])
      assert.ok([403, 404].includes(refused.status), `${person.email} in ${other}: ${refused.status}`)
      const guardrail = await inBrowser(world, session, [
        'POST',
        '/guardrails',
        { name: 'x', workspace_id: person.team },
      ])
      assert.equal(guardrail.status, 403)
    }
  })

  await t.test('a team may use only its models', async () => {
    for (const { email, team } of [people[1]!, people[12]!, people[23]!]) {
      const body = { ...words(1), model: 'openai/gpt-5' }
      const { error } = await call(world, 'POST', '/chat/completions', {
        ...{ key: keys.get(email)!.key, body, status: team === 'research' ? 503 : 403 },
      })
      if (team !== 'research') assert.match(error.message, /allowed_models/)
    }
  })

  await t.test('limits of persons and a team budget hold, and are announced at 80 %', async () => {
    await call(world, 'PUT', '/workspaces/search/budgets/monthly', { body: { limit_usd: 0.2, thresholds: [80] } })
    const { data } = await call(world, 'GET', '/workspaces/search')
    const guardrail = `/guardrails/${data.default_guardrail_id}`
    await call(world, 'PATCH', guardrail, { body: { limit_usd: 0.05, reset_interval: 'monthly' } })
    const search = people.filter(({ team }) => team === 'search')
    const spent = await Promise.all(search.map(({ email }) => spendAll(world, keys.get(email)!.key)))
    for (const [at, sum] of spent.entries()) assert.ok(sum <= 0.05 + 1e-9, `${search[at]!.email} spent ${sum}`)
    const sum = spent.reduce((one, other) => one + other)
    assert.ok(sum <= 0.2 + 1e-9, `the team spent ${sum}`)
    assert.ok(sum > 0.15, `the team spent only ${sum}`)
    const isOfTeam = ({ limit_of, percent }: { limit_of: string; percent: number }) =>
      limit_of === 'workspace' && percent === 80
    const { limit_usd } = verified(hook.secret, await world.receiver.receive('limit.nearly_spent', isOfTeam)).data
    assert.equal(limit_usd, 0.2)
    // Another team is not concerned.
    await call(world, 'POST', '/chat/completions', { key: keys.get(people[11]!.email)!.key, body: words(1) })
  })

  await t.test('the report has the spending of each person', async () => {
    const read = async () => (await call(world, 'GET', '/activity?group_by=member')).data as { requests: number }[]
    await until(async () => (await read()).length > 3)
  })

  await t.test('a removed member is locked out on both servers within a second', async () => {
    const { email } = people[12]!
    const { key } = keys.get(email)!
    await call(world, 'POST', '/chat/completions', { key, body: words(1) })
    const { data } = await call(world, 'GET', `/organization/members?q=${encodeURIComponent(email)}`)
    await call(world, 'DELETE', `/organization/members/${data[0].id}?disable_keys=true`)
    for (const address of world.servers.keys()) {
      const ask = () =>
        fetch(`http://${address}/api/v1/key`, { headers: { authorization: `Bearer ${key}` } }).then(
          ({ status }) => status,
        )
      await until(async () => (await ask()) === 401)
    }
    const { cookie } = signedIn.get(email)!
    assert.equal((await fetch(`${world.url}/sessions/current`, { headers: { cookie } })).status, 401)
  })

  await t.test('a server after the other is replaced, and no request fails', async () => {
    const { key } = keys.get(people[21]!.email)!
    let stopped = false
    const statuses = new Map<number, number>()
    const load = async () => {
      while (!stopped) {
        const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
        const body = JSON.stringify(words(1))
        const { status } = await fetch(`${world.url}/chat/completions`, { method: 'POST', headers, body })
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
      }
    }
    const loads = [load(), load()]
    for (const [address, server] of world.servers) {
      server.signal('SIGTERM')
      assert.equal(await server.ended, 0, server.err())
      world.servers.set(address, await world.start(address))
      await world.proxy.untilServedBy(address)
    }
    stopped = true
    await Promise.all(loads)
    assert.deepEqual([...statuses.keys()], [200])
  })

  await t.test('a server on a restored backup has all members except removed ones', async () => {
    const dump = execFileSync('pg_dump', ['--no-owner', world.testStore.settings.database_url!], { maxBuffer: 1e9 })
    const restored = await newEmptyTestStore('postgres')
    stack.defer(restored.remove)
    execFileSync('psql', ['--quiet', restored.settings.database_url!], {
      input: dump,
      stdio: ['pipe', 'ignore', 'pipe'],
    })
    const env = { DATABASE_URL: restored.settings.database_url, DATA_DIR: join(restored.settings.data_dir, 'data') }
    const server = stack.use(startProcess({ ...env, ENCRYPTION_KEY_FILE: world.keyFile }))
    const url = await server.url
    const { data } = await call({ ...world, url }, 'GET', '/workspaces/support/members?limit=100')
    // Ten without the one who left, Grace of the page, and the owner.
    const emails = data.map(({ email }: Person) => email)
    assert.deepEqual([emails.includes(people[12]!.email), emails.includes(people[13]!.email)], [false, true])
    await call({ ...world, url }, 'GET', '/key', { key: keys.get(people[13]!.email)!.key })
    await call({ ...world, url }, 'GET', '/key', { key: keys.get(people[12]!.email)!.key, status: 401 })
  })
})

/** Sends requests until one is refused. @returns their total cost in USD. */
async function spendAll(world: World, key: string): Promise<number> {
  let sum = 0
  for (;;) {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const body = JSON.stringify(words(5))
    const response = await fetch(`${world.url}/chat/completions`, { method: 'POST', headers, body })
    const responseBody = (await response.json()) as any
    if (response.status === 403) return sum
    // 429: what another request has reserved can be free in a moment.
    assert.ok(response.status === 200 || response.status === 429, JSON.stringify(responseBody))
    if (response.status === 200) {
      assert.equal(responseBody.usage.cost, 5 * usdOfWord)
      sum += responseBody.usage.cost
    }
  }
}
