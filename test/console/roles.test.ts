import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { startBrowser, withoutBrowser } from '../harness/browser/chromium.ts'
import { linkForRole, signedInPage } from '../harness/browser/console.ts'
import { startTalk, type Talk } from '../harness/interns/intern-chat.ts'

let talk: Talk
let browser: Awaited<ReturnType<typeof startBrowser>>
const made = { guardrail: '', member: '' }
before(async () => {
  if (withoutBrowser) return
  ;[talk, browser] = await Promise.all([startTalk({ settings: { console: 'true' as never } }), startBrowser()])
  await talk.ask('PATCH', `/interns/${talk.id}`, { body: { visibility: 'workspace' } })
  made.guardrail = (await talk.manage('POST', '/guardrails', { name: 'House rules' })).body.data.id
  made.member = (await talk.manage('GET', '/organization/members')).body.data[0].id
  for (const temperature of [0.2, 0.9])
    await talk.manage('POST', '/presets/haiku/chat/completions', {
      model: 'signalbox/demo',
      temperature,
      messages: [{ role: 'system', content: 'A haiku.' }],
    })
  await talk.manage('POST', '/byok', { provider: 'openai', key: 'sk-brought-0123456789', name: 'team' })
})
after(async () => {
  await browser?.close()
  await talk?.[Symbol.asyncDispose]()
})
const options = { skip: withoutBrowser }

const roles = ['owner', 'admin', 'developer', 'viewer'] as const
type Role = (typeof roles)[number]
const managers: Role[] = ['owner', 'admin']
const askers: Role[] = ['owner', 'admin', 'developer']

type Row = {
  path: () => string
  /** Who sees the screen, and the text that says that it is there. */
  seenBy?: Role[]
  shows: string
  /** What is done on it, who is offered that, and the call behind it. */
  acts: { offer: (page: Page) => ReturnType<Page['locator']>; by: Role[]; call: () => [string, string, unknown?] }[]
}

const button = (name: string) => (page: Page) => page.getByRole('button', { name, exact: true })
const field = (name: string) => (page: Page) => page.getByRole('textbox', { name })
const message = { model: 'signalbox/demo', messages: [{ role: 'user', content: 'Hi' }] }
const seers: Role[] = ['owner', 'admin', 'viewer']

const rows: Record<string, Row> = {
  requests: { path: () => '/requests', shows: 'Requests', acts: [] },
  overview: { path: () => '/overview', shows: 'Overview', acts: [] },
  models: { path: () => '/models', shows: 'Models', acts: [] },
  chat: {
    path: () => '/chat?model=signalbox/demo',
    shows: 'Ready: 1 model',
    acts: [{ offer: field('Message'), by: askers, call: () => ['POST', '/chat/completions', message] }],
  },
  interns: {
    path: () => `/interns/${talk.id}`,
    shows: 'Sessions',
    acts: [
      {
        offer: field('Start a session with ada'),
        by: askers,
        call: () => ['POST', `/interns/${talk.id}/chat/completions`, { ...message, stream: true }],
      },
      { offer: button('Suspend ada'), by: askers, call: () => ['POST', `/interns/${talk.id}/suspend`] },
    ],
  },
  'rules of an intern': {
    path: () => `/interns/${talk.id}?part=rules`,
    shows: 'No rules.',
    acts: [
      {
        offer: button('Add rule'),
        // Whoever made it: none of these.
        by: [],
        call: () => ['PUT', `/interns/${talk.id}/rules`, { rules: [{ effect: 'allow' }] }],
      },
    ],
  },
  'rules of the workspace': {
    path: () => '/interns?part=rules',
    seenBy: seers,
    shows: 'No rules.',
    acts: [
      {
        offer: button('Add rule'),
        by: managers,
        call: () => ['PUT', `/workspaces/default/intern-rules`, { rules: [{ effect: 'ask' }] }],
      },
    ],
  },
  'tools of an intern': {
    path: () => `/interns/${talk.id}?part=tools`,
    shows: 'MCP servers',
    acts: [
      {
        offer: button('Add MCP server'),
        by: [],
        call: () => ['PATCH', `/interns/${talk.id}`, { web_hosts: ['*'] }],
      },
    ],
  },
  'where interns run': { path: () => '/interns?part=hosts', shows: 'capacity used', acts: [] },
  webhooks: {
    path: () => '/interns?part=webhooks',
    seenBy: managers,
    shows: 'No webhooks yet',
    acts: [
      {
        offer: button('Create webhook'),
        by: managers,
        call: () => ['POST', '/webhooks', { url: 'https://hooks.example.com/x' }],
      },
    ],
  },
  guardrails: {
    path: () => '/guardrails',
    seenBy: seers,
    shows: 'House rules',
    acts: [{ offer: button('Create'), by: managers, call: () => ['POST', '/guardrails', { name: 'Mine' }] }],
  },
  'a guardrail': {
    path: () => `/guardrails/${made.guardrail}`,
    seenBy: seers,
    shows: 'No rules.',
    acts: [
      { offer: button('Delete'), by: managers, call: () => ['DELETE', `/guardrails/${made.guardrail}`] },
      { offer: field('Name'), by: managers, call: () => ['PATCH', `/guardrails/${made.guardrail}`, { name: 'Mine' }] },
    ],
  },
  keys: {
    path: () => '/keys',
    shows: 'Keys',
    acts: [{ offer: button('Create key'), by: askers, call: () => ['POST', '/keys', { name: 'mine' }] }],
  },
  people: {
    path: () => '/keys/people',
    seenBy: seers,
    shows: 'Owner',
    acts: [
      {
        offer: button('Add member'),
        by: managers,
        call: () => ['POST', '/organization/members', { name: 'Eve', email: 'eve@example.com' }],
      },
    ],
  },
  'workspace members': {
    path: () => '/keys/members',
    seenBy: seers,
    shows: 'The ',
    acts: [
      {
        offer: button('Add members'),
        by: managers,
        call: () => ['POST', '/workspaces/default/members/add', { user_ids: [made.member] }],
      },
    ],
  },
  budgets: {
    path: () => '/keys/budgets',
    seenBy: seers,
    shows: 'Budgets of the workspace',
    acts: [
      {
        offer: (page) => page.getByRole('button', { name: /^Set the daily budget, .* organization/ }),
        by: managers,
        call: () => ['PUT', '/organization/budgets/daily', { limit_usd: 5 }],
      },
    ],
  },
  'provider keys': {
    path: () => '/keys/providers',
    seenBy: seers,
    shows: 'team',
    acts: [
      {
        offer: button('Add provider key'),
        by: managers,
        call: () => ['POST', '/byok', { provider: 'openai', key: 'sk-1' }],
      },
      { offer: button('Change team'), by: managers, call: () => ['PATCH', '/byok/none', { name: 'mine' }] },
    ],
  },
  'the trail': { path: () => '/keys/audit', seenBy: seers, shows: 'created a guardrail', acts: [] },
  'a preset': {
    path: () => '/presets/haiku?version=1',
    shows: 'in use',
    acts: [
      {
        offer: button('Use version 1'),
        by: managers,
        call: () => ['POST', '/presets/haiku/versions/1/designate'],
      },
    ],
  },
  service: { path: () => '/service', seenBy: seers, shows: 'not needed', acts: [] },
  catalogue: {
    path: () => '/service/catalogue',
    seenBy: seers,
    shows: 'starter.json',
    acts: [{ offer: button('Reload'), by: managers, call: () => ['POST', '/catalogue/reload'] }],
  },
  settings: { path: () => '/service/settings', seenBy: seers, shows: 'data_dir', acts: [] },
}

/** A call as a script on the page makes it: with its cookie, its token and its origin. */
async function byHand(page: Page, [method, path, data]: [string, string, unknown?]): Promise<number> {
  const { origin } = new URL(page.url())
  const session = await page.request.get(`${talk.url}/sessions/current`)
  const headers = { origin, 'x-csrf-token': (await session.json()).data.csrf_token }
  return (await page.request.fetch(talk.url + path, { method, headers, ...(data !== undefined && { data }) })).status()
}

for (const role of roles) {
  test(`a user with the role ${role} sees the allowed actions, and is refused others`, options, async () => {
    await using watched = await signedInPage(browser, talk, '/models', { link: await linkForRole(talk, role) })
    const { page, faults } = watched
    for (const [name, { path, seenBy = roles, shows, acts }] of Object.entries(rows)) {
      // Refusals are faults of a page, also those that are told late: what may not be seen gets a page of its own.
      const screen = seenBy.includes(role) ? page : await page.context().newPage()
      await screen.goto(new URL(path(), page.url()).href)
      if (screen !== page) {
        await screen.getByText('Access denied').waitFor()
      } else if (acts.some(({ by }) => !by.includes(role)) || acts.length === 0) {
        await page.getByText(shows).first().waitFor()
      }
      for (const { offer, by, call } of acts) {
        if (by.includes(role)) {
          await offer(screen).waitFor()
          continue
        }
        assert.equal(await offer(screen).count(), 0, `${name}: ${call()}`)
        const status = await byHand(screen, call())
        assert.ok(status === 401 || status === 403, `${name}: ${call()} was answered with ${status}`)
      }
      if (screen !== page) await screen.close()
      assert.deepEqual(faults, [], name)
    }
  })
}

test('refused calls succeed with the permission', options, async () => {
  await using watched = await signedInPage(browser, talk, '/models')
  const harmless = ['guardrails', 'keys', 'catalogue', 'a preset', 'people']
  for (const name of harmless) {
    const status = await byHand(watched.page, rows[name]!.acts[0]!.call())
    assert.ok(status < 300, `${name}: ${status}`)
  }
})

test('parts of a screen that one may not see are not offered', options, async () => {
  for (const [access, offered] of [
    [
      'viewer',
      [
        'Keys',
        'People',
        'Workspace members',
        'Workspaces',
        'Budgets',
        'Provider keys',
        'Sessions',
        'Passkeys',
        'Audit log',
      ],
    ],
    ['developer', ['Keys', 'Sessions', 'Passkeys']],
  ] as const) {
    const member = { email: `parts-${access}@example.com`, name: `Parts ${access}`, access }
    const { id } = (await talk.manage('POST', '/organization/members', member)).body.data
    const link = (await talk.manage('POST', '/sessions/links', { user_id: id })).body.data.token
    await using watched = await signedInPage(browser, talk, '/keys', { link })
    const parts = watched.page.getByRole('navigation', { name: 'Tabs of this screen' })
    await watched.page.getByRole('table', { name: 'Keys' }).waitFor()
    await watched.page.locator('.who').getByText(`· ${access} ·`).waitFor()
    assert.deepEqual(await parts.getByRole('link').allTextContents(), offered)
    assert.deepEqual(watched.faults, [])
  }
})

test('the navigation has the allowed screens before any script runs', options, async () => {
  const all = ['Requests', 'Overview', 'Models', 'Chat', 'Interns', 'Guardrails', 'Keys & people', 'Presets', 'Service']
  for (const [access, left] of [
    ['viewer', ['Chat']],
    ['developer', ['Guardrails', 'Service']],
    ['owner', []],
  ] as const) {
    const offered = all.filter((one) => !left.some((gone) => gone === one))
    const member = { email: `screens-${access}@example.com`, name: `Screens ${access}`, access }
    const { id } = (await talk.manage('POST', '/organization/members', member)).body.data
    const link = (await talk.manage('POST', '/sessions/links', { user_id: id })).body.data.token
    await using watched = await signedInPage(browser, talk, '/models', { link })
    const { page } = watched
    await page.locator('.who').getByText(`· ${access} ·`).waitFor()
    assert.deepEqual(await page.locator('.place').allTextContents(), offered)
    const asItComes = await (await page.request.get(page.url(), { headers: { accept: 'text/html' } })).text()
    const before = [...asItComes.matchAll(/class="place"[^>]*>([^<]+)</g)].map(([, title]) => title)
    assert.deepEqual(
      before,
      offered.map((title) => title.replace('&', '&amp;')),
    )
  }
})

test('the palette leads nowhere that one may not go', options, async () => {
  const link = (await talk.manage('POST', '/sessions/links', { user_id: await developer() })).body.data.token
  await using watched = await signedInPage(browser, talk, '/models', { link })
  const { page } = watched
  await page.locator('.who').getByText('· developer ·').waitFor()
  await page.keyboard.press('Control+k')
  const found = page.getByRole('dialog').getByRole('option')
  await page.keyboard.type('go')
  await found.filter({ hasText: 'Presets' }).waitFor()
  assert.equal(await found.filter({ hasText: 'Guardrails' }).count(), 0)
})

async function developer(): Promise<string> {
  const member = { email: 'palette@example.com', name: 'Palette', access: 'developer' }
  return (await talk.manage('POST', '/organization/members', member)).body.data.id
}
