import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openDb } from '#platform/db/open.ts'
import { accessibilityFaults } from '../../harness/browser/accessibility.ts'
import { noBrowser, startBrowser } from '../../harness/browser/chromium.ts'
import { linkForRole, signedInPage } from '../../harness/browser/console.ts'
import { type InternChatService, startInternChatService } from '../../harness/interns/intern-chat.ts'
import { startReceiver } from '../../harness/service/receiver.ts'
import { until } from '../../harness/until.ts'

let talk: InternChatService
let receiver: Awaited<ReturnType<typeof startReceiver>>
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  if (noBrowser) return
  receiver = await startReceiver()
  const settings = { console: 'true', webhook_origins: [receiver.origin] }
  ;[talk, browser] = await Promise.all([startInternChatService({ settings: settings as never }), startBrowser()])
})
after(async () => {
  await browser?.close()
  await talk?.[Symbol.asyncDispose]()
  await receiver?.[Symbol.asyncDispose]()
})
const options = { skip: noBrowser }
const open = (path: string, more: object = {}) => signedInPage(browser, talk, path, { key: talk.apiKey, ...more })
const toolsPage = () => `/interns/${talk.id}?part=tools`
const intern = async () => (await talk.ask('GET', `/interns/${talk.id}`)).body

test('an MCP server is added with a hidden credential, changed and removed', options, async () => {
  await using watched = await open(toolsPage())
  const { page, faults } = watched
  await page.getByRole('button', { name: 'Add MCP server' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel(/^Name /).fill('search')
  await dialog.getByLabel('Connection').selectOption('stdio')
  await dialog.getByRole('textbox', { name: 'Command' }).fill('npx')
  await dialog.getByLabel(/^Arguments/).fill('-y\nsearch server')
  await dialog.getByRole('button', { name: 'Add variable' }).click()
  await dialog.getByLabel('Name of variable 1').fill('TOKEN')
  await dialog.getByLabel('Value of TOKEN').fill('t0ps3cret')
  assert.deepEqual(await accessibilityFaults(page), [])
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  const line = page.getByRole('listitem').filter({ hasText: 'npx -y search server' })
  await line.getByText('with TOKEN, timeout 60 s').waitFor()
  await line.getByRole('button', { name: 'Change search' }).click()
  assert.equal(await dialog.getByLabel('Value of TOKEN').inputValue(), '')
  await dialog.getByLabel(/seconds/).fill('90')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await line.getByText('timeout 90 s').waitFor()
  assert.deepEqual((await intern()).mcp_servers[0].env, { TOKEN: '********' })
  await line.getByRole('button', { name: 'Change search' }).click()
  await dialog.getByLabel('cannot be undone').fill('search')
  await dialog.getByRole('button', { name: 'Remove', exact: true }).click()
  await page.getByText('None.').waitFor()
  assert.deepEqual((await intern()).mcp_servers, [])
  assert.doesNotMatch(await page.content(), /t0ps3cret/)
  assert.deepEqual(faults, [])
})

test('hosts of pages are said, saved, and taken back; a colleague reads them', options, async () => {
  await using watched = await open(toolsPage())
  const { page, faults } = watched
  await page.getByText('The builtin agent cannot fetch web pages.').waitFor()
  await page.getByLabel('Hosts, one per line').fill('docs.example.com\n*.wikipedia.org')
  await page.getByText('can fetch web pages only from docs.example.com, *.wikipedia.org.').waitFor()
  await page.getByRole('button', { name: 'Save hosts' }).click()
  await until(async () => (await intern()).web_hosts.length === 2)
  await page.getByRole('button', { name: 'Undo' }).click()
  await until(async () => (await intern()).web_hosts.length === 0)
  assert.deepEqual(faults, [])
  await talk.ask('PATCH', `/interns/${talk.id}`, { body: { visibility: 'workspace', web_hosts: ['a.example'] } })
  await using other = await open(toolsPage(), { key: undefined, link: await linkForRole(talk, 'developer') })
  await other.page.getByText('can fetch web pages only from a.example.').waitFor()
  await other.page.getByText('Only the creator of the intern can change its tools.').waitFor()
  assert.equal(await other.page.getByRole('button', { name: /^Add|^Save/ }).count(), 0)
  assert.deepEqual(await accessibilityFaults(other.page), [])
  assert.deepEqual(other.faults, [])
})

test('a webhook is created with its secret, tested, delivered and deleted', options, async () => {
  await using watched = await open('/interns?part=webhooks', { key: talk.managementKey })
  const { page, faults } = watched
  await page.getByText('No webhooks yet').waitFor()
  await page.getByRole('button', { name: 'Create webhook' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('URL').fill(receiver.url)
  await dialog.getByLabel('a run ends').uncheck()
  assert.deepEqual(await accessibilityFaults(page), [])
  await dialog.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByText(/^whsec_/).waitFor()
  await page.getByRole('button', { name: 'Done' }).click()
  const row = page.getByRole('row').filter({ hasText: receiver.origin })
  await row.getByText('a question is asked, an intern fails').waitFor()
  assert.equal(await page.getByText(/whsec_/).count(), 0)
  await row.getByRole('button', { name: /^Test/ }).click()
  await receiver.receive('webhook.test')
  await row.getByRole('link', { name: /^Deliveries/ }).click()
  const sent = page.getByRole('table', { name: 'Deliveries' }).getByRole('row').filter({ hasText: 'test' })
  await until(async () => {
    await page.getByRole('button', { name: 'Refresh' }).click()
    return (await sent.getByText('delivered').count()) === 1
  })
  await sent.getByRole('button', { name: 'Retry' }).click()
  await until(() => receiver.received.length >= 2)
  assert.deepEqual(await accessibilityFaults(page), [])
  await page.getByRole('link', { name: '← Webhooks' }).click()
  await row.getByRole('button', { name: /^Change/ }).click()
  await dialog.getByLabel('Description').fill('unsaved')
  assert.equal(await dialog.getByRole('button', { name: 'Rotate secret' }).isDisabled(), true)
  await dialog.getByLabel('Description').fill('')
  await dialog.getByRole('button', { name: 'Rotate secret' }).click()
  await page.getByText(/^whsec_/).waitFor()
  await page.getByRole('button', { name: 'Done' }).click()
  await row.getByRole('button', { name: /^Change/ }).click()
  await dialog.getByLabel('cannot be undone').fill(new URL(receiver.url).host)
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByText('No webhooks yet').waitFor()
  assert.equal((await talk.manage('GET', '/webhooks')).body.total_count, 0)
  assert.deepEqual(faults, [])
})

test('a lost host is shown, and its interns are given up by managers', options, async () => {
  const { body: lost } = await talk.ask('POST', '/interns', { body: { name: 'lost', agent: 'scripted' } })
  const db = await openDb(talk.testStore.settings)
  await db.query.updateTable('interns').set({ hostname: 'burnt' }).where('id', '=', lost.id).execute()
  await db.close()
  // Its files cannot be read, which the browser would complain of.
  await using mine = await open(`/interns/${lost.id}?part=tools`)
  await mine.page.getByText('Host: burnt, which is lost').waitFor()
  await mine.page.getByRole('button', { name: 'Move …' }).click()
  await mine.page.getByRole('dialog').getByLabel('cannot be undone').waitFor()
  assert.deepEqual(await accessibilityFaults(mine.page), [])
  assert.deepEqual(mine.faults, [])
  await using watched = await open('/interns?part=hosts', { key: talk.managementKey })
  const { page, faults } = watched
  const row = page.getByRole('row').filter({ hasText: 'burnt' })
  await row.getByText('lost').waitFor()
  assert.deepEqual(await accessibilityFaults(page), [])
  await row.getByRole('button', { name: 'Move interns or give up their files …, burnt' }).click()
  const dialog = page.getByRole('dialog')
  assert.deepEqual(await accessibilityFaults(page), [])
  await dialog.getByLabel('cannot be undone').fill('burnt')
  await dialog.getByRole('button', { name: 'Give up' }).click()
  await row.waitFor({ state: 'detached' })
  assert.equal((await talk.ask('GET', `/interns/${lost.id}`)).body.host, null)
  assert.deepEqual(faults, [])
})
