import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { noBrowser, startBrowser } from '../../harness/browser/chromium.ts'
import { linkForRole, signedInPage } from '../../harness/browser/console.ts'
import { type InternChatService, startInternChatService } from '../../harness/interns/intern-chat.ts'

let talk: InternChatService
let browser: Awaited<ReturnType<typeof startBrowser>>
const created = { guardrail: '', member: '' }
before(async () => {
  if (noBrowser) return
  ;[talk, browser] = await Promise.all([
    startInternChatService({ settings: { console: 'true' as never } }),
    startBrowser(),
  ])
  await talk.ask('PATCH', `/interns/${talk.id}`, { body: { visibility: 'workspace' } })
  created.guardrail = (await talk.manage('POST', '/guardrails', { name: 'House rules' })).body.data.id
  created.member = (await talk.manage('GET', '/organization/members')).body.data[0].id
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
const options = { skip: noBrowser }

const roles = ['owner', 'admin', 'developer', 'viewer'] as const
type Role = (typeof roles)[number]
const managers: Role[] = ['owner', 'admin']
const requesters: Role[] = ['owner', 'admin', 'developer']

type Row = {
  path: () => string
  /** The roles that see the screen, and the text by which it is recognized. */
  visibleTo?: Role[]
  visibleText: string
  /** The actions on the screen: their control, the roles that have it, and the API call. */
  actions: {
    control: (page: Page) => ReturnType<Page['locator']>
    by: Role[]
    call: () => [string, string, unknown?]
  }[]
}

const button = (name: string) => (page: Page) => page.getByRole('button', { name, exact: true })
const field = (name: string) => (page: Page) => page.getByRole('textbox', { name })
const message = { model: 'signalbox/demo', messages: [{ role: 'user', content: 'Hi' }] }
const viewers: Role[] = ['owner', 'admin', 'viewer']

const rows: Record<string, Row> = {
  requests: { path: () => '/requests', visibleText: 'Requests', actions: [] },
  overview: { path: () => '/overview', visibleText: 'Overview', actions: [] },
  models: { path: () => '/models', visibleText: 'Models', actions: [] },
  chat: {
    path: () => '/chat?model=signalbox/demo',
    visibleText: 'Ready: 1 model',
    actions: [{ control: field('Message'), by: requesters, call: () => ['POST', '/chat/completions', message] }],
  },
  interns: {
    path: () => `/interns/${talk.id}`,
    visibleText: 'Sessions',
    actions: [
      {
        control: field('Start a session with ada'),
        by: requesters,
        call: () => ['POST', `/interns/${talk.id}/chat/completions`, { ...message, stream: true }],
      },
      { control: button('Suspend ada'), by: requesters, call: () => ['POST', `/interns/${talk.id}/suspend`] },
    ],
  },
  'rules of an intern': {
    path: () => `/interns/${talk.id}?part=rules`,
    visibleText: 'No rules.',
    actions: [
      {
        control: button('Add rule'),
        // No role, not even the owner's, can change the rules in this state.
        by: [],
        call: () => ['PUT', `/interns/${talk.id}/rules`, { rules: [{ effect: 'allow' }] }],
      },
    ],
  },
  'rules of the workspace': {
    path: () => '/interns?part=rules',
    visibleTo: viewers,
    visibleText: 'No rules.',
    actions: [
      {
        control: button('Add rule'),
        by: managers,
        call: () => ['PUT', `/workspaces/default/intern-rules`, { rules: [{ effect: 'ask' }] }],
      },
    ],
  },
  'tools of an intern': {
    path: () => `/interns/${talk.id}?part=tools`,
    visibleText: 'MCP servers',
    actions: [
      {
        control: button('Add MCP server'),
        by: [],
        call: () => ['PATCH', `/interns/${talk.id}`, { web_hosts: ['*'] }],
      },
    ],
  },
  'where interns run': { path: () => '/interns?part=hosts', visibleText: 'capacity used', actions: [] },
  webhooks: {
    path: () => '/interns?part=webhooks',
    visibleTo: managers,
    visibleText: 'No webhooks yet',
    actions: [
      {
        control: button('Create webhook'),
        by: managers,
        call: () => ['POST', '/webhooks', { url: 'https://hooks.example.com/x' }],
      },
    ],
  },
  guardrails: {
    path: () => '/guardrails',
    visibleTo: viewers,
    visibleText: 'House rules',
    actions: [{ control: button('Create'), by: managers, call: () => ['POST', '/guardrails', { name: 'Mine' }] }],
  },
  'a guardrail': {
    path: () => `/guardrails/${created.guardrail}`,
    visibleTo: viewers,
    visibleText: 'No restrictions.',
    actions: [
      { control: button('Delete'), by: managers, call: () => ['DELETE', `/guardrails/${created.guardrail}`] },
      {
        control: field('Name'),
        by: managers,
        call: () => ['PATCH', `/guardrails/${created.guardrail}`, { name: 'Mine' }],
      },
    ],
  },
  keys: {
    path: () => '/keys',
    visibleText: 'Keys',
    actions: [{ control: button('Create key'), by: requesters, call: () => ['POST', '/keys', { name: 'mine' }] }],
  },
  people: {
    path: () => '/keys/people',
    visibleTo: viewers,
    visibleText: 'Owner',
    actions: [
      {
        control: button('Add member'),
        by: managers,
        call: () => ['POST', '/organization/members', { name: 'Eve', email: 'eve@example.com' }],
      },
    ],
  },
  'workspace members': {
    path: () => '/keys/members',
    visibleTo: viewers,
    visibleText: 'The ',
    actions: [
      {
        control: button('Add members'),
        by: managers,
        call: () => ['POST', '/workspaces/default/members/add', { user_ids: [created.member] }],
      },
    ],
  },
  budgets: {
    path: () => '/keys/budgets',
    visibleTo: viewers,
    visibleText: 'Budgets of the workspace',
    actions: [
      {
        control: (page) => page.getByRole('button', { name: /^Set the daily budget, .* organization/ }),
        by: managers,
        call: () => ['PUT', '/organization/budgets/daily', { limit_usd: 5 }],
      },
    ],
  },
  'provider keys': {
    path: () => '/keys/providers',
    visibleTo: viewers,
    visibleText: 'team',
    actions: [
      {
        control: button('Add provider key'),
        by: managers,
        call: () => ['POST', '/byok', { provider: 'openai', key: 'sk-1' }],
      },
      { control: button('Change team'), by: managers, call: () => ['PATCH', '/byok/none', { name: 'mine' }] },
    ],
  },
  'the audit log': { path: () => '/keys/audit', visibleTo: viewers, visibleText: 'created a guardrail', actions: [] },
  'a preset': {
    path: () => '/presets/haiku?version=1',
    visibleText: 'in use',
    actions: [
      {
        control: button('Use version 1'),
        by: managers,
        call: () => ['POST', '/presets/haiku/versions/1/designate'],
      },
    ],
  },
  service: { path: () => '/service', visibleTo: viewers, visibleText: 'not needed', actions: [] },
  catalogue: {
    path: () => '/service/catalogue',
    visibleTo: viewers,
    visibleText: 'starter.json',
    actions: [{ control: button('Reload'), by: managers, call: () => ['POST', '/catalogue/reload'] }],
  },
  settings: { path: () => '/service/settings', visibleTo: viewers, visibleText: 'data_dir', actions: [] },
}

/** A call as a script on the page makes it: with its cookie, its token and its origin. */
async function sendDirectly(page: Page, [method, path, data]: [string, string, unknown?]): Promise<number> {
  const { origin } = new URL(page.url())
  const session = await page.request.get(`${talk.url}/sessions/current`)
  const headers = { origin, 'x-csrf-token': (await session.json()).data.csrf_token }
  return (await page.request.fetch(talk.url + path, { method, headers, ...(data !== undefined && { data }) })).status()
}

for (const role of roles) {
  test(`a user with the role ${role} sees the allowed actions, and is refused others`, options, async () => {
    await using watched = await signedInPage(browser, talk, '/models', { link: await linkForRole(talk, role) })
    const { page, faults } = watched
    for (const [name, { path, visibleTo = roles, visibleText, actions }] of Object.entries(rows)) {
      // A refused request counts as a fault of the page, also a late one: screens without permission show a separate page.
      const screen = visibleTo.includes(role) ? page : await page.context().newPage()
      await screen.goto(new URL(path(), page.url()).href)
      if (screen !== page) {
        await screen.getByText('Access denied').waitFor()
      } else if (actions.some(({ by }) => !by.includes(role)) || actions.length === 0) {
        await page.getByText(visibleText).first().waitFor()
      }
      for (const { control, by, call } of actions) {
        if (by.includes(role)) {
          await control(screen).waitFor()
          continue
        }
        assert.equal(await control(screen).count(), 0, `${name}: ${call()}`)
        const status = await sendDirectly(screen, call())
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
    const status = await sendDirectly(watched.page, rows[name]!.actions[0]!.call())
    assert.ok(status < 300, `${name}: ${status}`)
  }
})

test('parts of a screen without permission are not displayed', options, async () => {
  for (const [access, offered] of [
    [
      'viewer',
      [
        'Keys',
        'Members',
        'Workspace members',
        'Workspaces',
        'Budgets',
        'Provider keys',
        'Browser sessions',
        'Passkeys',
        'Audit log',
      ],
    ],
    ['developer', ['Keys', 'Browser sessions', 'Passkeys']],
  ] as const) {
    const member = { email: `parts-${access}@example.com`, name: `Parts ${access}`, access }
    const { id } = (await talk.manage('POST', '/organization/members', member)).body.data
    const link = (await talk.manage('POST', '/sessions/links', { user_id: id })).body.data.token
    await using watched = await signedInPage(browser, talk, '/keys', { link })
    const parts = watched.page.getByRole('navigation', { name: 'Tabs of this screen' })
    await watched.page.getByRole('table', { name: 'Keys' }).waitFor()
    await watched.page.locator('.account').getByText(`· ${access} ·`).waitFor()
    assert.deepEqual(await parts.getByRole('link').allTextContents(), offered)
    assert.deepEqual(watched.faults, [])
  }
})

test('the navigation has the allowed screens before any script runs', options, async () => {
  const all = [
    'Requests',
    'Overview',
    'Models',
    'Chat',
    'Interns',
    'Guardrails',
    'Keys & members',
    'Presets',
    'Service',
  ]
  for (const [access, left] of [
    ['viewer', ['Chat']],
    ['developer', ['Guardrails', 'Service']],
    ['owner', []],
  ] as const) {
    const offered = all.filter((one) => !left.some((missing) => missing === one))
    const member = { email: `screens-${access}@example.com`, name: `Screens ${access}`, access }
    const { id } = (await talk.manage('POST', '/organization/members', member)).body.data
    const link = (await talk.manage('POST', '/sessions/links', { user_id: id })).body.data.token
    await using watched = await signedInPage(browser, talk, '/models', { link })
    const { page } = watched
    await page.locator('.account').getByText(`· ${access} ·`).waitFor()
    assert.deepEqual(await page.locator('.screen-link').allTextContents(), offered)
    const asItComes = await (await page.request.get(page.url(), { headers: { accept: 'text/html' } })).text()
    const before = [...asItComes.matchAll(/class="screen-link"[^>]*>([^<]+)</g)].map(([, title]) => title)
    assert.deepEqual(
      before,
      offered.map((title) => title.replace('&', '&amp;')),
    )
  }
})

test('the palette lists only permitted targets', options, async () => {
  const link = (await talk.manage('POST', '/sessions/links', { user_id: await developer() })).body.data.token
  await using watched = await signedInPage(browser, talk, '/models', { link })
  const { page } = watched
  await page.locator('.account').getByText('· developer ·').waitFor()
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
