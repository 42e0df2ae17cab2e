import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { accessibilityFaults } from '../../harness/browser/accessibility.ts'
import { noBrowser, startBrowser, watchedPage } from '../../harness/browser/chromium.ts'
import { linkForRole, signedInPage, startConsole } from '../../harness/browser/console.ts'
import { openBrowser } from '../../harness/service/browser-client.ts'
import { client, startIssuer } from '../../harness/service/sign-in/oidc-issuer.ts'
import { type DemoWorld, startDemoWorld } from '../../harness/service/world/demo-world.ts'
import { until } from '../../harness/until.ts'

let world: DemoWorld
let browser: Awaited<ReturnType<typeof startBrowser>>
let links: Record<'developer' | 'viewer' | 'admin', string>
before(async () => {
  if (noBrowser) return
  ;[world, browser] = await Promise.all([startDemoWorld(), startBrowser()])
  await world.ask(4)
  const { service } = world
  links = {
    developer: await linkForRole(service, 'developer'),
    viewer: await linkForRole(service, 'viewer'),
    admin: await linkForRole(service, 'admin'),
  }
  await service.manage('POST', '/byok', { provider: 'openai', key: 'sk-brought-0123456789', name: 'team' })
})
after(async () => {
  await browser?.close()
  await world?.[Symbol.asyncDispose]()
})
const options = { skip: noBrowser }

/** A link signs in once. */
async function adminLink(): Promise<string> {
  const { data } = (await world.service.manage('GET', '/organization/members?limit=100')).body
  const { id } = data.find((member: { access: string }) => member.access === 'admin')
  return (await world.service.manage('POST', '/sessions/links', { user_id: id })).body.data.token
}

/** The keys of the service by name, from its API. */
async function keyNamed(name: string) {
  const { data } = (await world.service.manage('GET', '/keys?include_disabled=true&limit=100')).body
  return data.find((key: { name: string }) => key.name === name)
}

test('a new key shows its secret once, and the secret works', options, async () => {
  await using watched = await signedInPage(browser, world.service, '/keys')
  const { page, faults } = watched
  await page.getByRole('button', { name: 'Create key' }).click()
  await page.getByLabel('Name').fill('laptop')
  await page.getByLabel('Limit in USD').fill('12.5')
  await page.getByLabel('Resets').selectOption('monthly')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  const dialog = page.getByRole('region', { name: 'Secret of laptop' })
  await until(() => page.evaluate<boolean>("document.activeElement.getAttribute('aria-label') === 'Secret of laptop'"))
  const secret = (await dialog.locator('pre').textContent()) ?? ''
  const { body } = await world.service.ask('GET', '/key', { key: secret })
  assert.deepEqual([body.data.limit, body.data.limit_reset], [12.5, 'monthly'])
  await dialog.getByRole('button', { name: 'Copy' }).waitFor()
  await page.getByRole('row').filter({ hasText: 'laptop' }).filter({ hasText: '$12.50' }).waitFor()
  await dialog.getByRole('button', { name: 'Done' }).click()
  await dialog.waitFor({ state: 'detached' })
  assert.ok(!(await page.content()).includes(secret))
  assert.deepEqual(faults, [])
})

test('a second new key leaves the secret of the first one on the page', options, async () => {
  await using watched = await signedInPage(browser, world.service, '/keys')
  const { page, faults } = watched
  for (const name of ['first', 'second']) {
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByLabel('Name').fill(name)
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByRole('region', { name: `Secret of ${name}` }).waitFor()
  }
  const first = page.getByRole('region', { name: 'Secret of first' })
  assert.equal(await first.count(), 1)
  await first.getByRole('button', { name: 'Done' }).click()
  await first.waitFor({ state: 'detached' })
  assert.equal(await page.getByRole('region', { name: 'Secret of second' }).count(), 1)
  assert.deepEqual(faults, [])
})

test('a key shows its limits and guardrails in words', options, async () => {
  await using watched = await signedInPage(browser, world.service, '/keys')
  const { page, faults } = watched
  await page.getByRole('link', { name: 'Budgets and permissions of shut-in' }).press('Enter')
  await page.getByRole('heading', { name: 'shut-in' }).waitFor()
  await page.getByRole('link', { name: 'Only what the contract names' }).waitFor()
  await page.getByText('Blocked models: openai/gpt-5.4-mini').waitFor()
  await page.goBack()
  await page.getByRole('table', { name: 'Keys' }).waitFor()
  assert.deepEqual(faults, [])
})

test('a change of a key holds, and is taken back by "Undo"', options, async () => {
  await world.service.manage('POST', '/keys', { name: 'changing', limit: 5 })
  await using watched = await signedInPage(browser, world.service, '/keys')
  const { page, faults } = watched
  await page.getByRole('button', { name: 'Change changing' }).click()
  const save = page.getByRole('button', { name: 'Save' })
  assert.equal(await save.isDisabled(), true)
  await page.getByLabel('Limit in USD').fill('7')
  await page.getByLabel('Disabled').check()
  await save.click()
  await page.getByRole('row').filter({ hasText: 'disabled' }).filter({ hasText: 'changing' }).waitFor()
  const changed = await keyNamed('changing')
  assert.deepEqual([changed.disabled, changed.limit], [true, 7])
  await page.getByRole('button', { name: 'Undo' }).click()
  await until(async () => {
    const { disabled, limit } = await keyNamed('changing')
    return !disabled && limit === 5
  })
  assert.deepEqual(faults, [])
})

test('"Undo" restores the limit that somebody else set after the list was read', options, async () => {
  const { body } = await world.service.manage('POST', '/keys', { name: 'outdated', limit: 5 })
  await using watched = await signedInPage(browser, world.service, '/keys')
  const { page, faults } = watched
  await page.getByRole('row').filter({ hasText: 'outdated' }).waitFor()
  await world.service.manage('PATCH', `/keys/${body.data.hash}`, { limit: 6 })
  await page.getByRole('button', { name: 'Change outdated' }).click()
  const field = page.getByLabel('Limit in USD')
  await until(async () => (await field.inputValue()) === '6')
  await field.fill('8')
  await page.getByRole('button', { name: 'Save' }).click()
  await until(async () => (await keyNamed('outdated')).limit === 8)
  await page.getByRole('button', { name: 'Undo' }).click()
  await until(async () => (await keyNamed('outdated')).limit !== 8)
  assert.equal((await keyNamed('outdated')).limit, 6)
  assert.deepEqual(faults, [])
})

test('the expiry of a key accepts years of four digits only', options, async () => {
  await using watched = await signedInPage(browser, world.service, '/keys')
  const { page, faults } = watched
  await page.getByRole('button', { name: 'Change ci-bot' }).click()
  const expires = page.getByLabel('Expires')
  await expires.focus()
  await page.keyboard.type('123120309')
  assert.match(await expires.inputValue(), /^\d{4}-12-31$/)
  assert.deepEqual(faults, [])
})

test('a key is deleted only when its name is typed', options, async () => {
  await world.service.manage('POST', '/keys', { name: 'doomed' })
  await using watched = await signedInPage(browser, world.service, '/keys')
  const { page, faults } = watched
  await page.getByRole('button', { name: 'Change doomed' }).click()
  const remove = page.getByRole('button', { name: 'Delete' })
  await page.getByLabel('cannot be undone').fill('doom')
  assert.equal(await remove.isDisabled(), true)
  await page.getByLabel('cannot be undone').fill('doomed')
  await remove.click()
  await page.getByRole('button', { name: 'Change doomed' }).waitFor({ state: 'detached' })
  assert.equal(await keyNamed('doomed'), undefined)
  assert.deepEqual(faults, [])
})

test('the access of a member is changed, and the audit log shows it', options, async () => {
  const person = { email: 'grace@example.com', name: 'Grace Hopper', access: 'viewer' }
  const { id } = (await world.service.manage('POST', '/organization/members', person)).body.data
  await using watched = await signedInPage(browser, world.service, '/keys/people')
  const { page, faults } = watched
  await page.getByLabel('Role of Grace Hopper').selectOption('developer')
  await page.getByText('Grace Hopper is developer now').waitFor()
  const { data } = (await world.service.manage('GET', '/organization/members?limit=100')).body
  assert.equal(data.find((member: { id: string }) => member.id === id).access, 'developer')
  await page.goto(`${new URL(world.service.url).origin}/keys/audit?target_id=${id}`)
  const row = page.getByRole('row').filter({ hasText: 'updated a member' })
  await row.locator('summary').click()
  await row.getByText('viewer → developer').waitFor()
  await row.getByText('browser session').waitFor()
  assert.deepEqual(faults, [])
})

test('the audit log names the target, with its id on hover', options, async () => {
  const { id } = (await world.service.manage('GET', '/sessions')).body.data[0]
  await using watched = await signedInPage(browser, world.service, `/keys/audit?target_id=${id}`)
  const { page, faults } = watched
  const row = page.getByRole('row').filter({ hasText: 'signed in' })
  await row.getByRole('link', { name: 'Owner', exact: true }).waitFor()
  await row.getByTitle(`Audit log of ${id}`).waitFor()
  await page.getByRole('button', { name: 'target Owner', exact: true }).waitFor()
  assert.deepEqual(faults, [])
})

test('the audit log is filtered by action, and the URL has the filter', options, async () => {
  await using watched = await signedInPage(browser, world.service, '/keys/audit')
  const { page, faults } = watched
  const add = page.getByRole('button', { name: 'Add a filter' })
  await add.press('Enter')
  await page.getByRole('button', { name: 'action', exact: true }).press('Enter')
  await page.locator('.menu input:focus').waitFor()
  await page.keyboard.type('created a guard')
  await page.keyboard.press('Enter')
  await page.waitForURL(/[?]action=guardrail\.created$/)
  await page.getByRole('button', { name: 'action created a guardrail' }).waitFor()
  await add.and(page.locator(':focus')).waitFor()
  await until(async () => {
    const acts = await page.locator('tbody .action').allTextContents()
    return acts.length > 0 && acts.every((act) => act === 'created a guardrail')
  })
  assert.deepEqual(faults, [])
})

test('a member is added, signs in by link, and is signed out', options, async () => {
  await using watched = await signedInPage(browser, world.service, '/keys/people')
  const { page, faults } = watched
  await page.getByRole('button', { name: 'Add member' }).click()
  await page.getByLabel('Name').fill('Ada Lovelace')
  await page.getByLabel('Email address').fill('ada@example.com')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByRole('button', { name: 'Sign-in link for Ada Lovelace' }).click()
  const dialog = page.getByRole('region', { name: /^Sign-in link for Ada Lovelace/ })
  const token = decodeURIComponent(/#sign-in=(.+)$/.exec((await dialog.locator('pre').textContent()) ?? '')?.[1] ?? '')
  await using theirs = await signedInPage(browser, world.service, '/keys', { link: token })
  await theirs.page.getByRole('button', { name: 'Create key' }).waitFor()
  await page.getByRole('link', { name: 'Browser sessions' }).click()
  await page.getByRole('button', { name: 'Sign out Ada Lovelace' }).click()
  await page.getByText('Session of Ada Lovelace ended').waitFor()
  await theirs.page.reload()
  await theirs.page.getByLabel('Key', { exact: true }).waitFor()
  assert.deepEqual(faults, [])
})

test('provider keys are listed without their secrets', options, async () => {
  await using watched = await signedInPage(browser, world.service, '/keys/providers')
  const { page, faults } = watched
  await page.getByRole('row').filter({ hasText: 'openai' }).filter({ hasText: 'team' }).waitFor()
  assert.ok(!(await page.content()).includes('sk-brought-0123456789'))
  assert.deepEqual(faults, [])
})

test('a provider’s key is stored, replaced and removed, and never shown', options, async () => {
  const stored = async () => {
    const { data } = (await world.service.manage('GET', '/byok?provider=deepinfra')).body
    return data[0]
  }
  await using watched = await signedInPage(browser, world.service, '/keys/providers')
  const { page, faults } = watched
  await page.getByRole('button', { name: 'Add provider key' }).click()
  await page.getByRole('combobox', { name: /^Provider/ }).selectOption('DeepInfra')
  await page.getByRole('dialog').getByLabel('Key', { exact: true }).fill('di-first-0123456789')
  await page.getByLabel('Name').fill('batch')
  await page.getByLabel('Priority').selectOption('after the operator’s key')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  const row = page.getByRole('row').filter({ hasText: 'batch' })
  await row.getByText('after the operator’s').waitFor()
  const first = await stored()
  assert.deepEqual([first.name, first.is_fallback], ['batch', true])
  await page.getByRole('button', { name: 'Change batch' }).click()
  await page.getByLabel('New key').fill('di-second-9876543210')
  await page.getByRole('button', { name: 'Save' }).click()
  await until(async () => (await stored()).label !== first.label)
  await page.getByRole('button', { name: 'Change batch' }).click()
  await page.getByLabel('Disabled').check()
  await page.getByRole('button', { name: 'Save' }).click()
  await row.getByText('disabled').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await until(async () => (await stored()).disabled === false)
  assert.doesNotMatch(await page.content(), /di-first-|di-second-/)
  await page.getByRole('button', { name: 'Change batch' }).click()
  await page.getByLabel('cannot be undone').fill('batch')
  await page.getByRole('button', { name: 'Remove' }).click()
  await row.waitFor({ state: 'detached' })
  assert.equal(await stored(), undefined)
  assert.deepEqual(faults, [])
})

test('a key is created for another member, who owns its requests', options, async () => {
  const person = { email: 'lin@example.com', name: 'Lin Yutang', access: 'developer' }
  const { id } = (await world.service.manage('POST', '/organization/members', person)).body.data
  await using watched = await signedInPage(browser, world.service, '/keys', { link: await adminLink() })
  const { page, faults } = watched
  await page.getByRole('button', { name: 'Create key' }).click()
  await page.getByLabel('Name').fill('for Lin')
  await page.getByRole('combobox', { name: /^Owner/ }).fill('lin@example.com')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByRole('region', { name: 'Secret of for Lin' }).waitFor()
  assert.equal((await keyNamed('for Lin')).creator_user_id, id)
  assert.deepEqual(faults, [])
})

/** All that a screen offers to do, but for saying what a key may. */
const toChange = (page: Page) => page.getByRole('main').getByRole('button').filter({ hasNotText: 'Permissions' })

test('a viewer sees no actions, and a developer sees who can grant access', options, async () => {
  await using viewing = await signedInPage(browser, world.service, '/keys', { link: links.viewer })
  await viewing.page.getByRole('row').filter({ hasText: 'ci-bot' }).waitFor()
  assert.equal(await toChange(viewing.page).count(), 0)
  await viewing.page.goto(new URL('/keys/providers', viewing.page.url()).href)
  await viewing.page.getByRole('row').filter({ hasText: 'team' }).waitFor()
  assert.equal(await toChange(viewing.page).count(), 0)
  await using developing = await signedInPage(browser, world.service, '/keys/people', { link: links.developer })
  await developing.page.getByText('Access denied').waitFor()
  await developing.page.getByText('An owner or admin of the organization can give you access.').waitFor()
  assert.equal(await developing.page.getByRole('button', { name: 'Add member' }).count(), 0)
})

test('an admin cannot touch an owner', options, async () => {
  await using watched = await signedInPage(browser, world.service, '/keys/people', { link: links.admin })
  const { page } = watched
  await page.getByLabel('Role of The viewer').waitFor()
  assert.equal(await page.getByLabel('Role of Owner').count(), 0)
  assert.equal(await page.getByRole('option', { name: 'owner' }).count(), 0)
})

test('where an issuer is set up, signing in leads to it and back', options, async () => {
  await using issuer = await startIssuer()
  const settings = {
    oidc_issuer: issuer.url,
    ...client,
    oidc_domains: ['example.com'],
    oidc_groups: { '*': { workspace: 'default' } },
  }
  await using service = await startConsole({ settings })
  issuer.serve(service)
  issuer.person = { id: 'ada', claims: { email: 'ada@example.com', email_verified: true, name: 'Ada Lovelace' } }
  const { origin } = new URL(service.url)
  await using watched = await watchedPage(browser, origin)
  const { page } = watched
  await page.context().unrouteAll()
  await page.goto(`${origin}/keys`)
  await page.getByRole('link', { name: /^Sign in with/ }).click()
  await page.getByText('Ada Lovelace · viewer').waitFor()
  const { data } = (await service.manage('GET', '/sessions')).body
  assert.deepEqual(
    data.map(({ method }: { method: string }) => method),
    ['oidc'],
  )
})

for (const path of ['/keys', '/keys/people', '/keys/providers', '/keys/sessions', '/keys/audit']) {
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [1280, 390]) {
      test(`${path} is accessible and fits: ${colorScheme}, ${width} px`, options, async () => {
        const viewport = { width, height: 844 }
        await using watched = await signedInPage(browser, world.service, path, { colorScheme, viewport })
        const { page, faults } = watched
        await page.getByRole('table').waitFor()
        assert.deepEqual(await accessibilityFaults(page), [])
        const beyond = 'document.querySelector(".parts-body").scrollWidth > document.documentElement.clientWidth'
        assert.equal(await page.evaluate(beyond), false)
        assert.deepEqual(faults, [])
      })
    }
  }
}

test('a double click does not sign out the next row', options, async () => {
  const { service } = world
  for (let others = 0; others < 3; others++) await openBrowser(service, { key: service.managementKey })
  await using watched = await signedInPage(browser, service, '/keys/sessions')
  const { page, faults } = watched
  const table = page.getByRole('table', { name: 'Browser sessions' })
  const buttons = table.getByRole('button', { name: /^Sign out / })
  await buttons.nth(2).waitFor()
  const there = await buttons.count()
  const { x, y, width, height } = (await buttons.first().boundingBox())!
  await page.mouse.move(x + width / 2, y + height / 2)
  const click = async (clickCount: number) => {
    await page.mouse.down({ clickCount })
    await page.mouse.up({ clickCount })
  }
  await click(1)
  await until(async () => (await buttons.count()) === there - 1)
  await click(2)
  // It would have been done by now.
  await page.waitForTimeout(1000)
  assert.equal(await buttons.count(), there - 1)
  await click(1)
  await until(async () => (await buttons.count()) === there - 2)
  assert.deepEqual(faults, [])
})

test('two keys of the same name each get a guardrail of their models', options, async () => {
  await using watched = await signedInPage(browser, world.service, '/keys')
  const { page } = watched
  for (const _ of [1, 2]) {
    await page.getByRole('button', { name: 'Create key' }).click()
    const form = page.getByRole('dialog', { name: 'Create key' })
    await form.getByLabel('Name').fill('twin')
    await form.getByLabel('Add to models').fill('signalbox dem')
    await form.getByRole('button', { name: 'signalbox/demo', exact: true }).click()
    await form.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByText('Secret of twin').waitFor()
    await page.getByRole('button', { name: 'Done' }).click()
  }
  const { data } = (await world.service.manage('GET', '/guardrails?limit=100')).body
  const names = data.map(({ name }: { name: string }) => name).filter((name: string) => /^Models of twin/.test(name))
  assert.equal(names.length, 2)
  assert.match(names[1], /^Models of twin, [0-9a-f]{8}$/)
})
