import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { accessibilityFaults } from '../../harness/browser/accessibility.ts'
import { noBrowser, startBrowser } from '../../harness/browser/chromium.ts'
import { linkForRole, signedInPage } from '../../harness/browser/console.ts'
import { layoutFaults } from '../../harness/browser/layout-faults.ts'
import { picture } from '../../harness/browser/picture.ts'
import { type DemoWorld, startDemoWorld } from '../../harness/service/world/demo-world.ts'
import { until } from '../../harness/until.ts'

let world: DemoWorld
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  if (noBrowser) return
  ;[world, browser] = await Promise.all([startDemoWorld(), startBrowser()])
  await world.ask(8)
})
after(async () => {
  await browser?.close()
  await world?.[Symbol.asyncDispose]()
})
const options = { skip: noBrowser }

const make = async (policy: object): Promise<string> =>
  (await world.service.manage('POST', '/guardrails', policy)).body.data.id
const read = async (id: string) => (await world.service.manage('GET', `/guardrails/${id}`)).body.data
const defaultOf = async (): Promise<string> =>
  (await world.service.manage('GET', '/workspaces')).body.data[0].default_guardrail_id

test('the list shows the rules, assignments and spending of each guardrail', options, async () => {
  await make({ name: 'Small change', limit_usd: 5, reset_interval: 'daily' })
  await using watched = await signedInPage(browser, world.service, '/guardrails')
  const { page, faults } = watched
  const contract = page.getByRole('row').filter({ hasText: 'Only what the contract names' })
  await contract.getByText('Blocked models: openai/gpt-5.4-mini').waitFor()
  await contract.getByText('1 key').waitFor()
  const small = page.getByRole('row').filter({ hasText: 'Small change' })
  await small.getByText('not assigned').waitFor()
  await small.getByText('$5.00', { exact: true }).waitFor()
  await contract.click()
  await page.waitForURL(`**/guardrails/${world.guardrailId}`)
  await page.getByRole('button', { name: 'Remove from shut-in' }).waitFor()
  assert.deepEqual(faults, [])
})

test('the workspace default is listed without rules; a model is found by words', options, async () => {
  await using watched = await signedInPage(browser, world.service, '/guardrails')
  const { page } = watched
  await page.getByRole('row').filter({ hasText: 'Workspace Default Default' }).click()
  await page.getByLabel('Add to blocked models').fill('gpt mini 5.4')
  await page.getByRole('button', { name: 'openai/gpt-5.4-mini', exact: true }).click()
  assert.equal(
    await page.getByRole('textbox', { name: 'Blocked models', exact: true }).inputValue(),
    'openai/gpt-5.4-mini',
  )
  await page.getByText('Blocked models: openai/gpt-5.4-mini.').waitFor()
  assert.deepEqual(await accessibilityFaults(page), [])
})

test('a change is shown line by line before it is saved, then saved, and undone', options, async () => {
  const id = await make({ name: 'To be changed', limit_usd: 50, allowed_models: ['google/gemini-3-flash'] })
  await using watched = await signedInPage(browser, world.service, `/guardrails/${id}`)
  const { page, faults } = watched
  await page.getByLabel('Maximum, USD').fill('20')
  await page.getByLabel('Resets').selectOption('monthly')
  await page.getByRole('textbox', { name: 'Allowed models', exact: true }).fill('deepseek/deepseek-v4')
  await page.getByLabel('email addresses').selectOption('redact')
  const change = page.getByRole('region', { name: 'Unsaved changes' })
  const lines = async () => (await change.getByRole('definition').allInnerTexts()).join('\n')
  await until(async () => (await lines()).includes('+ redact email'))
  const [model] = (await read(id)).allowed_models
  assert.equal(await lines(), `− 50\n+ 20\n+ monthly\n− ${model}\n+ deepseek/deepseek-v4\n+ redact email`)
  await page.getByText('At most $20.00 per month.').waitFor()
  assert.equal((await read(id)).limit_usd, 50)
  await change.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved', { exact: true }).waitFor()
  // Its button was removed: the focus moves to the text that describes the current state.
  await until(() => page.evaluate<boolean>("document.activeElement.getAttribute('aria-label') === 'Effect'"))
  const saved = await read(id)
  assert.deepEqual([saved.limit_usd, saved.reset_interval, saved.allowed_models.length], [20, 'monthly', 1])
  assert.match(saved.allowed_models[0], /^deepseek\/deepseek-v4/)
  assert.equal(saved.content_filter_builtins[0].action, 'redact')
  await page.getByRole('button', { name: 'Undo' }).click()
  await until(async () => (await read(id)).limit_usd === 50)
  assert.equal((await read(id)).content_filter_builtins, null)
  assert.deepEqual(faults, [])
})

test('limits for sessions and tags are added, listed with spending, and removed', options, async () => {
  const id = await make({ name: 'By group' })
  const inspect = async (width: number, colorScheme: 'light' | 'dark') => {
    await using watched = await signedInPage(browser, world.service, `/guardrails/${id}`, {
      ...{ colorScheme, viewport: { width, height: 900 } },
    })
    await watched.page.getByRole('table', { name: /^Sessions and tags/ }).waitFor()
    assert.deepEqual([await accessibilityFaults(watched.page), await layoutFaults(watched.page)], [[], []])
    await picture(watched.page, 'guardrail-groups', width, colorScheme)
  }
  await using watched = await signedInPage(browser, world.service, `/guardrails/${id}`)
  const { page, faults } = watched
  await page.getByRole('button', { name: 'Add limit per session' }).click()
  await page.getByLabel('USD, each session').fill('0.01')
  await page.getByRole('button', { name: 'Add limit per tag value' }).click()
  await page.getByLabel(/^Tag name/).fill('customer')
  await page.getByLabel('USD, tag limit 2').fill('5')
  await page.getByLabel('Resets, tag limit 2').selectOption('monthly')
  await page.getByText('At most $5.00 per month for each value of the tag customer.').waitFor()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Saved', { exact: true }).waitFor()
  assert.deepEqual((await read(id)).group_limits, [
    { by: 'session', tag_name: null, limit_usd: 0.01, reset_interval: null },
    { by: 'tag', tag_name: 'customer', limit_usd: 5, reset_interval: 'monthly' },
  ])
  const created = (await world.service.manage('POST', '/keys', { name: 'grouped' })).body
  await world.service.manage('POST', `/guardrails/${id}/assignments/keys`, { key_hashes: [created.data.hash] })
  const body = {
    ...{ model: 'google/gemini-3-flash', max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }] },
    ...{ session_id: 'chat-17', metadata: { customer: 'acme' } },
  }
  await world.service.ask('POST', '/chat/completions', { key: created.key, body })
  await page.reload()
  const spending = page.getByRole('table', { name: /^Sessions and tags/ })
  await spending.getByRole('rowheader', { name: 'Session chat-17' }).waitFor()
  await spending.getByRole('rowheader', { name: 'customer: acme' }).waitFor()
  await inspect(1280, 'light')
  await inspect(390, 'dark')
  await page.getByRole('button', { name: 'Remove the limit, each session' }).click()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await until(async () => (await read(id)).group_limits.length === 1)
  assert.deepEqual(faults, [])
})

test('the alerts of a guardrail are changed next to its limit', options, async () => {
  const id = await make({ name: 'Alerts', limit_usd: 5 })
  await using watched = await signedInPage(browser, world.service, `/guardrails/${id}`)
  const { page, faults } = watched
  await page.getByRole('button', { name: 'Change alerts' }).click()
  await page.getByLabel('Notify webhooks at').fill('90, 25')
  assert.deepEqual(await accessibilityFaults(page), [])
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Webhooks are notified at 25, 90 % of the limit.').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Webhooks are notified at 50, 80, 100 % of the limit.').waitFor()
  assert.deepEqual(faults, [])
})

test('a refusal of the service is shown, and the change can be corrected', options, async () => {
  const id = await make({ name: 'To be refused' })
  await using watched = await signedInPage(browser, world.service, `/guardrails/${id}`)
  const { page } = watched
  await page.getByRole('textbox', { name: 'Blocked models', exact: true }).fill('acme/unheard-of')
  await page.getByRole('button', { name: 'Save' }).click()
  const change = page.getByRole('region', { name: 'Unsaved changes' })
  await change.getByRole('alert').getByText('the catalogue does not contain the model "acme/unheard-of"').waitFor()
  assert.equal(await page.getByRole('textbox', { name: 'Blocked models', exact: true }).inputValue(), 'acme/unheard-of')
})

test('the replay shows the refusals of a change before it is saved', options, async () => {
  const id = await defaultOf()
  await using watched = await signedInPage(browser, world.service, `/guardrails/${id}`)
  const { page, faults } = watched
  const policy = { ignored_models: ['google/gemini-3-flash'] }
  const result = (await world.service.manage('POST', `/guardrails/${id}/replay`, { policy })).body.data
  assert.ok(result.would_refuse > 0)
  await page.getByRole('textbox', { name: 'Blocked models', exact: true }).fill('google/gemini-3-flash')
  const replay = page.getByRole('region', { name: 'Replay' })
  const refused = replay.getByRole('row').filter({ has: page.getByRole('rowheader', { name: 'refused' }) })
  await until(async () => (await refused.getByRole('cell').allInnerTexts()).join() === `0,${result.would_refuse}`)
  await replay.getByRole('link', { name: 'google/gemini-3-flash' }).waitFor()
  await replay.getByText('Affected requests').click()
  const each = replay.getByRole('table', { name: 'Affected requests' }).getByRole('row')
  await until(async () => (await each.count()) === result.would_refuse)
  const first = (await each.first().textContent()) ?? ''
  assert.match(first, /google\/gemini-3-flashblocked model refused\$0\.\d+/)
  const listed = (await world.service.manage('POST', `/guardrails/${id}/replay`, { policy, list: 9 })).body.data
  const [newest] = listed.touched_requests
  assert.equal(await each.first().getByRole('link').getAttribute('href'), `/requests/${newest.id}`)
  assert.equal((await world.service.manage('GET', `/guardrails/${id}`)).status, 404)
  assert.deepEqual(
    faults.filter((fault) => !fault.includes('404')),
    [],
  )
})

test('a text is tried with the unsaved fields: matches and the result are shown', options, async () => {
  const id = await make({ name: 'For texts', content_filter_builtins: [{ slug: 'email', action: 'redact' }] })
  await using watched = await signedInPage(browser, world.service, `/guardrails/${id}`)
  const { page, faults } = watched
  const trial = page.getByRole('region', { name: 'Test a text' })
  await trial.getByLabel('Text', { exact: true }).fill('Write to ada@example.com about <b>Project Blue</b>')
  await trial.getByText('The text would be sent as:').waitFor()
  await trial.getByText('Write to [EMAIL] about <b>Project Blue</b>', { exact: true }).waitFor()
  assert.deepEqual(await trial.locator('mark').allInnerTexts(), ['ada@example.com'])
  await page.getByRole('button', { name: 'Add pattern' }).click()
  await page.getByRole('textbox', { name: 'Pattern 1' }).fill('(?i)project blue')
  await trial.getByText('The request would be blocked.').waitFor()
  assert.deepEqual(await trial.locator('mark').allInnerTexts(), ['ada@example.com', 'Project Blue'])
  await trial.getByRole('listitem').filter({ hasText: '(?i)project blue blocks' }).waitFor()
  await page.getByRole('textbox', { name: 'Pattern 1' }).fill('x(?=y)')
  await trial.getByRole('alert').getByText('look-around').waitFor()
  assert.equal((await read(id)).content_filters, null)
  assert.deepEqual(
    faults.filter((fault) => !fault.includes('400')),
    [],
  )
})

test('a guardrail without a limit can be restored; one with a limit asks for its name', options, async () => {
  const rules = { ignored_models: ['google/gemini-3-flash'], enforce_zdr: true, enforce_zdr_google: false }
  const id = await make({ name: 'To be deleted', ...rules })
  const { data } = (await world.service.manage('POST', '/keys', { name: 'under it' })).body
  await world.service.manage('POST', `/guardrails/${id}/assignments/keys`, { key_hashes: [data.hash] })
  const before = await read(id)
  await using watched = await signedInPage(browser, world.service, `/guardrails/${id}`)
  const { page, faults } = watched
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByText('To be deleted deleted').waitFor()
  await page.waitForURL('**/guardrails')
  assert.equal((await world.service.manage('GET', `/guardrails/${id}`)).status, 404)
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('heading', { name: 'To be deleted', level: 1 }).waitFor()
  const back = new URL(page.url()).pathname.split('/').at(-1)!
  const { id: _id, created_at: _made, updated_at: _changed, ...said } = await read(back)
  assert.deepEqual({ ...before, ...said }, before)
  await page.getByRole('button', { name: 'Remove from under it' }).waitFor()

  const limited = await make({ name: 'Of money', limit_usd: 5 })
  await page.goto(new URL(`/guardrails/${limited}`, page.url()).href)
  await page.getByRole('button', { name: 'Delete' }).click()
  const dialog = page.getByRole('dialog')
  assert.equal(await dialog.getByRole('button', { name: 'Delete' }).isDisabled(), true)
  await dialog.getByLabel('cannot be undone').fill('Of money')
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await page.getByText('Of money deleted').waitFor()
  assert.equal((await world.service.manage('GET', `/guardrails/${limited}`)).status, 404)
  await page.goto(new URL(`/guardrails/${await defaultOf()}`, page.url()).href)
  await page.getByRole('heading', { level: 1 }).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Delete' }).count(), 0)
  assert.deepEqual(
    faults.filter((fault) => !fault.includes('404')),
    [],
  )
})

test('the history restores an earlier state as a new change', options, async () => {
  const id = await make({ name: 'With a past', limit_usd: 3, enforce_zdr: true, enforce_zdr_google: false })
  await world.service.manage('PATCH', `/guardrails/${id}`, { limit_usd: 4, enforce_zdr: null })
  await using watched = await signedInPage(browser, world.service, `/guardrails/${id}`)
  const { page, faults } = watched
  await page.getByRole('button', { name: 'Restore' }).click()
  await page.getByRole('region', { name: 'Unsaved changes' }).getByText('+ 3').waitFor()
  await page.getByRole('button', { name: 'Save' }).click()
  await until(async () => (await read(id)).limit_usd === 3)
  const { enforce_zdr, enforce_zdr_vendor_a, enforce_zdr_google } = await read(id)
  assert.deepEqual([enforce_zdr, enforce_zdr_vendor_a, enforce_zdr_google], [true, true, false])
  assert.deepEqual(faults, [])
})

test('a guardrail is assigned to a key, removed, and restored', options, async () => {
  const id = await make({ name: 'For the bot' })
  const assigned = async (): Promise<string[]> =>
    (await world.service.manage('GET', `/guardrails/${id}/assignments/keys`)).body.data.map((one: any) => one.key_name)
  await using watched = await signedInPage(browser, world.service, `/guardrails/${id}`)
  const { page, faults } = watched
  await page.getByLabel('Assign to').fill('ci-bot')
  await page.getByRole('button', { name: 'key ci-bot' }).click()
  await until(async () => (await assigned()).join() === 'ci-bot')
  await page.getByRole('button', { name: 'Remove from ci-bot' }).click()
  await until(async () => (await assigned()).length === 0)
  await page.getByRole('button', { name: 'Undo' }).click()
  await until(async () => (await assigned()).join() === 'ci-bot')
  assert.deepEqual(faults, [])
})

test('a guardrail of another workspace is assigned to keys of that workspace only', options, async () => {
  const { body } = await world.service.manage('POST', '/workspaces', { name: 'Lab', slug: 'lab' })
  const workspace_id = body.data.id
  for (const name of ['lab-bot', 'lab-rests']) {
    const created = await world.service.manage('POST', '/keys', { name, workspace_id })
    if (name === 'lab-rests') await world.service.manage('PATCH', `/keys/${created.body.data.hash}`, { disabled: true })
  }
  await using watched = await signedInPage(browser, world.service, '/guardrails')
  const { page, faults } = watched
  await page.getByLabel('Workspace of the new guardrail').selectOption('Lab')
  await page.getByLabel('Name of a new guardrail').fill('Of the lab')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByText('Workspace: Lab', { exact: true }).waitFor()
  await page.getByLabel('Assign to').fill('lab')
  const choices = page.getByRole('group', { name: 'Matching keys and members' })
  await choices.getByText('key lab-bot').waitFor()
  assert.deepEqual((await choices.getByRole('button').allTextContents()).sort(), [
    'key lab-bot',
    'key lab-rests (disabled)',
  ])
  await page.getByLabel('Assign to').fill('ci-bot')
  await page.getByText('No other key or member has this name.').waitFor()
  await page.getByLabel('Assign to').fill('lab rests')
  await choices.getByRole('button', { name: 'key lab-rests (disabled)' }).click()
  await page.getByRole('button', { name: 'Remove from lab-rests' }).waitFor()
  assert.deepEqual(faults, [])
})

test('a refusal in the log leads to the guardrail that refused', options, async () => {
  await using watched = await signedInPage(browser, world.service, `/requests?guardrail_id=${world.guardrailId}`)
  const { page } = watched
  await page.getByRole('row').nth(1).click()
  await page.locator(`a[href="/guardrails/${world.guardrailId}"]`).first().click()
  await page.getByRole('heading', { name: 'Only what the contract names', level: 1 }).waitFor()
})

test('a viewer can only read a guardrail; a developer sees who has access', options, async () => {
  const path = `/guardrails/${world.guardrailId}`
  const links = [await linkForRole(world.service, 'viewer'), await linkForRole(world.service, 'developer')]
  await using viewer = await signedInPage(browser, world.service, path, { link: links[0]! })
  await viewer.page.getByText('Blocked models: openai/gpt-5.4-mini').first().waitFor()
  await viewer.page.getByText('shut-in').waitFor()
  assert.equal(await viewer.page.getByRole('textbox').count(), 0)
  assert.equal(await viewer.page.getByRole('button', { name: 'Restore' }).count(), 0)
  assert.deepEqual(viewer.faults, [])
  await using developer = await signedInPage(browser, world.service, path, { link: links[1]! })
  await developer.page.getByText('Access denied').waitFor()
  assert.deepEqual(developer.faults, [])
})

for (const colorScheme of ['light', 'dark'] as const) {
  for (const width of [1280, 390]) {
    test(`guardrails are accessible in ${colorScheme} at ${width} px`, options, async () => {
      const viewport = { width, height: 800 }
      await using watched = await signedInPage(browser, world.service, '/guardrails', { colorScheme, viewport })
      const { page, faults } = watched
      await page.getByRole('row').getByText('Only what the contract names').waitFor()
      assert.deepEqual(await accessibilityFaults(page), [])
      await page.getByRole('row').getByText('Only what the contract names').click()
      await page.getByLabel('Blocked providers').fill('openai')
      await page.getByText('+ openai', { exact: true }).waitFor()
      await page.getByLabel('email addresses').selectOption('redact')
      await page.getByLabel('phone numbers').selectOption('block')
      await page.getByLabel('Text', { exact: true }).fill('Write to ada@example.com, or +1 415-555-2671')
      await page.getByText('The request would be blocked.').waitFor()
      assert.deepEqual(await accessibilityFaults(page), [])
      await picture(page, 'guardrail', width, colorScheme)
      const overhang = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
      assert.equal(overhang, 0)
      assert.deepEqual(faults, [])
    })
  }
}

test('after a limit is removed, the inputs of the others show their own values', options, async () => {
  const id = await make({ name: 'Two tags' })
  await using watched = await signedInPage(browser, world.service, `/guardrails/${id}`)
  const { page, faults } = watched
  for (const [number, name, usd] of [
    [1, 'customer', '5'],
    [2, 'team', '9'],
  ] as const) {
    await page.getByRole('button', { name: 'Add limit per tag value' }).click()
    await page.getByLabel(`Tag name, tag limit ${number}`).fill(name)
    await page.getByLabel(`USD, tag limit ${number}`).fill(usd)
  }
  await page.getByRole('button', { name: 'Remove the limit, tag limit 1' }).click()
  await page.getByLabel('Tag name, tag limit 2').waitFor({ state: 'detached' })
  const values = ['Tag name', 'USD'].map((label) => page.getByLabel(`${label}, tag limit 1`).inputValue())
  assert.deepEqual(await Promise.all(values), ['team', '9'])
  assert.deepEqual(faults, [])
})

test('a double click on "Delete" deletes a guardrail once', options, async () => {
  const id = await make({ name: 'Clicked twice' })
  await using watched = await signedInPage(browser, world.service, `/guardrails/${id}`)
  const { page, faults } = watched
  await page.getByRole('button', { name: 'Delete' }).dblclick()
  await page.getByText('Clicked twice deleted').waitFor()
  await page.waitForLoadState('networkidle')
  assert.deepEqual(faults, [])
})
