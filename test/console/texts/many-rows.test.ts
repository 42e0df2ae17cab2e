import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { noBrowser, startBrowser } from '../../harness/browser/chromium.ts'
import { signedInPage, startConsole } from '../../harness/browser/console.ts'
import type { TestService } from '../../harness/service/service.ts'
import { until } from '../../harness/until.ts'

/** More than one page of any list. */
const many = 230
const last = `n${many - 1}`

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  if (noBrowser) return
  ;[service, browser] = await Promise.all([startConsole(), startBrowser()])
  for (let index = 0; index < many; index++) {
    const name = `n${index}`
    const [key] = await Promise.all([
      service.manage('POST', '/keys', { name, limit: 1 }),
      service.manage('POST', '/organization/members', { name, email: `${name}@example.com` }),
      service.manage('POST', '/guardrails', { name }),
    ])
    assert.equal(key.status, 201, key.text)
  }
})
after(async () => {
  await browser?.close()
  await service?.[Symbol.asyncDispose]()
})
const options = { skip: noBrowser }
const open = (path: string) => signedInPage(browser, service, path)

test('a key is created for the last of many members', options, async () => {
  await using watched = await open('/keys')
  const { page, faults } = watched
  await page.getByRole('button', { name: 'Create key' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel(/^Owner/).fill(last)
  await dialog.locator(`option[value="${last}@example.com"]`).waitFor({ state: 'attached' })
  await dialog.getByLabel(/^Owner/).fill(`${last}@example.com`)
  await dialog.getByLabel('Name', { exact: true }).fill('for the last')
  await dialog.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByRole('rowheader', { name: 'for the last' }).waitFor()
  const { data } = (await service.manage('GET', '/keys?q=for+the+last')).body
  assert.equal(data[0].creator_email, `${last}@example.com`)
  await service.manage('DELETE', `/keys/${data[0].hash}`)
  assert.deepEqual(faults, [])
})

test('all guardrails are listed, and the last one can be assigned to any key', options, async () => {
  await using watched = await open('/guardrails')
  const { page, faults } = watched
  await page.getByText(`${many} guardrails`).waitFor()
  const found = (await service.manage('GET', '/guardrails?limit=1')).body.data[0]
  await page.goto(new URL(`/guardrails/${found.id}`, page.url()).href)
  const choices = page.getByRole('group', { name: 'Matching keys and members' })
  for (const name of ['n0', last]) {
    await page.getByLabel('Assign to').fill(name)
    for (const kind of ['member', 'key'])
      await choices.getByRole('button', { name: `${kind} ${name}`, exact: true }).waitFor()
  }
  await choices.getByRole('button', { name: `key ${last}` }).click()
  await page.getByText(`Assigned to ${last}`).waitFor()
  assert.deepEqual(faults, [])
})

test('the overview shows the limits of keys that spent, and loads no other keys', options, async () => {
  const requested: string[] = []
  await using watched = await open('/keys')
  const { page, faults } = watched
  const { body } = await service.manage('POST', '/keys', { name: 'soon', expires_at: inTwoDays() })
  const created = await service.manage('POST', '/keys', { name: 'spender', limit: 1 })
  const prompt = { model: 'signalbox/demo', messages: [{ role: 'user', content: 'Hi' }] }
  await service.ask('POST', '/chat/completions', { key: created.body.key, body: prompt })
  page.on('request', (request) => requested.push(request.url().replace(/.*\/api\/v1/, '')))
  await page.goto(new URL('/overview', page.url()).href)
  await page.getByText('Key soon expires').waitFor()
  await until(async () => {
    await page.reload()
    await page.getByText('other limits, none nearly used up').click()
    return page
      .getByRole('listitem')
      .filter({ hasText: 'spender key' })
      .waitFor({ timeout: 10_000 })
      .then(
        () => true,
        () => false,
      )
  })
  const lists = requested.filter((path) => path.startsWith('/keys'))
  assert.ok(
    lists.every((path) => /^\/keys\?limit=100(&(expires_before|order)=.*)?$/.test(path)),
    lists.join(),
  )
  for (const { hash } of [body.data, created.body.data]) await service.manage('DELETE', `/keys/${hash}`)
  assert.deepEqual(faults, [])
})

const inTwoDays = () => new Date(Date.now() + 2 * 86_400_000).toISOString()

test('keys and members are found by search, and "Show all" resets it', options, async () => {
  await using watched = await open('/keys')
  const { page, faults } = watched
  const rows = page.locator('tbody tr')
  await rows.nth(49).waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('n0')
  await until(async () => (await rows.count()) === 1)
  await rows.filter({ hasText: 'n0' }).waitFor()
  await page.getByLabel('Find keys').fill('nobody')
  await page.getByText('No results for “nobody”').waitFor()
  await page.getByRole('button', { name: 'Show all' }).click()
  await rows.nth(49).waitFor()
  await page.goto(new URL('/keys/people?q=n229', page.url()).href)
  await page.getByRole('row').filter({ hasText: 'n229@example.com' }).waitFor()
  await until(async () => (await rows.count()) === 1)
  assert.deepEqual(faults, [])
})

test('the palette finds keys and people by name, and leads to them', options, async () => {
  await using watched = await open('/requests')
  const { page, faults } = watched
  for (const [hint, path] of [
    ['key sb-v1', '/keys'],
    [`${last}@example.com`, '/keys/people'],
  ] as const) {
    await page.getByRole('button', { name: 'Go to…' }).click()
    await page.getByRole('combobox', { name: 'Search' }).fill(last)
    await page.getByRole('option').filter({ hasText: hint }).click()
    await page.waitForURL((address) => address.pathname === path && address.searchParams.has('q'))
    await until(async () => (await page.locator('tbody tr').count()) === 1)
    await page.locator('tbody tr').filter({ hasText: last }).waitFor()
  }
  assert.deepEqual(faults, [])
})
