import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { openDb } from '#platform/db/open.ts'
import { accessibilityFaults } from '../../harness/browser/accessibility.ts'
import { noBrowser, startBrowser } from '../../harness/browser/chromium.ts'
import { signedInPage } from '../../harness/browser/console.ts'
import { type InternChatService, startInternChatService } from '../../harness/interns/intern-chat.ts'
import { createFilesClient } from '../../harness/interns/intern-files.ts'

let talk: InternChatService
let browser: Awaited<ReturnType<typeof startBrowser>>
const created = { guardrail: '', limited: '', lost: '' }
before(async () => {
  if (noBrowser) return
  ;[talk, browser] = await Promise.all([
    startInternChatService({ settings: { console: 'true' as never } }),
    startBrowser(),
  ])
  await createFilesClient(talk, talk.id)('PUT', 'content', { path: 'notes.md' }, { body: 'Notes' })
  const mcp_servers = [{ name: 'search', command: 'npx', env: { TOKEN: 'secret' } }]
  await talk.ask('PATCH', `/interns/${talk.id}`, { body: { mcp_servers } })
  created.guardrail = (await talk.manage('POST', '/guardrails', { name: 'Small', limit_usd: 1 })).body.data.id
  await talk.manage('POST', '/organization/members', { name: 'Ada', email: 'ada@example.com' })
  created.limited = (await talk.manage('POST', '/guardrails', { name: 'Limited', limit_usd: 5 })).body.data.id
  await talk.manage('POST', '/byok', { provider: 'openai', key: 'sk-brought-0123456789', name: 'team' })
  await talk.manage('POST', '/webhooks', { url: 'https://hooks.example.com/x' })
  created.lost = (await talk.ask('POST', '/interns', { body: { name: 'lost', agent: 'scripted' } })).body.id
  const db = await openDb(talk.testStore.settings)
  await db.query.updateTable('interns').set({ hostname: 'burnt' }).where('id', '=', created.lost).execute()
  await db.close()
})
after(async () => {
  await browser?.close()
  await talk?.[Symbol.asyncDispose]()
})
const options = { skip: noBrowser }

const click = (name: string | RegExp) => (page: Page) =>
  page
    .getByRole('button', { name, exact: typeof name === 'string' })
    .first()
    .click()
const press = (key: string) => (page: Page) => page.keyboard.press(key)

/** For each file of a dialog: the page and the steps that open it, as the creator of the intern or as a manager. */
type Opened = { path: () => string; open: (page: Page) => Promise<void>; maker?: boolean }
const dialogs: Record<string, Opened[]> = {
  'guardrails/delete-guardrail.tsx': [{ path: () => `/guardrails/${created.guardrail}`, open: click('Delete') }],
  'interns/list/intern-actions.tsx': [{ path: () => `/interns/${talk.id}`, open: click('Suspend ada'), maker: true }],
  'interns/files/change-file.tsx': [{ path: () => `/interns/${talk.id}`, open: click('Change notes.md'), maker: true }],
  'interns/hosts/lost-host-dialog.tsx': [
    { path: () => '/interns?part=hosts', open: click(/^Move interns or give up/) },
  ],
  'interns/hosts/intern-host.tsx': [
    { path: () => `/interns/${created.lost}?part=tools`, open: click('Move …'), maker: true },
  ],
  'interns/tools/server-dialog.tsx': [
    { path: () => `/interns/${talk.id}?part=tools`, open: click('Add MCP server'), maker: true },
    { path: () => `/interns/${talk.id}?part=tools`, open: click('Change search'), maker: true },
  ],
  'interns/webhooks/webhook-dialog.tsx': [
    { path: () => '/interns?part=webhooks', open: click('Create webhook') },
    { path: () => '/interns?part=webhooks', open: click(/^Change https/) },
  ],
  'keys/members/add-member.tsx': [{ path: () => '/keys/people', open: click('Add member') }],
  'keys/keys/change-key.tsx': [{ path: () => '/keys', open: click(/^Change/) }],
  'keys/workspaces/delete-contents.tsx': [{ path: () => '/keys/workspaces', open: click(/^Delete stored data/) }],
  'keys/keys/create-key.tsx': [{ path: () => '/keys', open: click('Create key') }],
  // Browsers offer passkeys only at a host name, so the test of passkeys checks these dialogs.
  'keys/sign-in/passkeys.tsx': [],
  'keys/members/remove-member.tsx': [{ path: () => '/keys/people', open: click('Remove Ada') }],
  'keys/provider-keys/provider-key-dialog.tsx': [
    { path: () => '/keys/providers', open: click('Add provider key') },
    { path: () => '/keys/providers', open: click('Change team') },
  ],
  'keys/workspaces/add-workspace-members.tsx': [{ path: () => '/keys/members', open: click('Add members') }],
  'keys/workspaces/remove-workspace-member.tsx': [{ path: () => '/keys/members', open: click('Remove Ada') }],
  'keys/budgets/budget-dialog.tsx': [
    { path: () => '/keys/budgets', open: click(/^Set the daily budget, .* workspace/) },
  ],
  'keys/workspaces/workspace-dialog.tsx': [
    { path: () => '/keys/workspaces', open: click('Create workspace') },
    { path: () => '/keys/workspaces', open: click(/^Change/) },
  ],
  'interns/form/create-intern.tsx': [{ path: () => '/interns', open: click('Create intern') }],
  'interns/form/change-intern.tsx': [{ path: () => `/interns/${talk.id}`, open: click('Change'), maker: true }],
  // Only unconfirmed charges can be released: test/money/late-costs.test.ts.
  'requests/detail/release-charge.tsx': [],
  'components/form/alert-thresholds.tsx': [
    { path: () => `/guardrails/${created.limited}`, open: click('Change alerts') },
  ],
  'components/palette/open-palette.tsx': [{ path: () => '/models', open: press('Control+k') }],
  'components/palette/shortcuts.tsx': [{ path: () => '/models', open: press('?') }],
}

for (const [width, colorScheme] of [
  [1280, 'light'],
  [390, 'dark'],
] as const) {
  test(`every dialog is accessible and fits the window: ${colorScheme}, ${width} px`, options, async () => {
    const look = { colorScheme, viewport: { width, height: 800 } }
    await using managed = await signedInPage(browser, talk, '/models', look)
    await using own = await signedInPage(browser, talk, '/models', { ...look, key: talk.apiKey })
    for (const [file, ways] of Object.entries(dialogs)) {
      for (const { path, open, maker } of ways) {
        const { page, faults } = maker ? own : managed
        await page.goto(new URL(path(), page.url()).href)
        await page.getByRole('heading', { level: 1 }).or(page.getByRole('table')).first().waitFor()
        await open(page)
        const dialog = page.getByRole('dialog')
        await dialog.waitFor()
        assert.deepEqual(await accessibilityFaults(page), [], file)
        const box = await dialog.boundingBox()
        assert.ok(box && box.x >= 0 && box.x + box.width <= width, file)
        await page.keyboard.press('Escape')
        await dialog.waitFor({ state: 'detached' })
        assert.deepEqual(faults, [], file)
      }
    }
  })
}

test('every dialog of the console is among those that are looked at', () => {
  const folder = fileURLToPath(new URL('../../../console', import.meta.url))
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.tsx'))
  const general = join('components', 'form', 'form-dialog.tsx')
  const having = files.filter(
    (file) => file !== general && /<(Form)?Dialog/.test(readFileSync(join(folder, file), 'utf8')),
  )
  assert.deepEqual(having.sort(), Object.keys(dialogs).sort())
})

test('a selection that ends outside of a dialog does not close it, a click does', options, async () => {
  await using watched = await signedInPage(browser, talk, '/keys')
  const { page, faults } = watched
  await click('Create key')(page)
  const dialog = page.getByRole('dialog')
  const field = dialog.getByLabel('Name', { exact: true })
  await field.fill('laptop')
  const box = (await field.boundingBox())!
  await page.mouse.move(box.x + 20, box.y + 5)
  await page.mouse.down()
  await page.mouse.move(2, box.y + 5, { steps: 3 })
  await page.mouse.up()
  const { x, y } = (await dialog.boundingBox())!
  await page.mouse.click(x + 3, y + 3)
  assert.equal(await field.inputValue(), 'laptop')
  await page.mouse.click(x - 20, y + 20)
  await dialog.waitFor({ state: 'detached' })
  assert.deepEqual(faults, [])
})
