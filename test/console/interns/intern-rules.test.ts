import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { accessibilityFaults } from '../../harness/browser/accessibility.ts'
import { noBrowser, startBrowser } from '../../harness/browser/chromium.ts'
import { linkForRole, signedInPage } from '../../harness/browser/console.ts'
import { type InternChatService, startInternChatService } from '../../harness/interns/intern-chat.ts'
import { answer, say } from '../../harness/interns/interns.ts'
import { until } from '../../harness/until.ts'

let talk: InternChatService
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  if (noBrowser) return
  ;[talk, browser] = await Promise.all([
    startInternChatService({ settings: { console: 'true' as never } }),
    startBrowser(),
  ])
})
after(async () => {
  await browser?.close()
  await talk?.[Symbol.asyncDispose]()
})
const options = { skip: noBrowser }
const open = (path: string, more: object = {}) => signedInPage(browser, talk, path, { key: talk.apiKey, ...more })
const rulesPage = () => `/interns/${talk.id}?part=rules`
const wants = (command: string) => `tool shell ${command}\npermission shell allow_once reject_once`
const rulesOf = async () => (await talk.ask('GET', `/interns/${talk.id}/rules`)).body.data

test('a rule is created, explained, saved as a version, and undone', options, async () => {
  await using watched = await open(rulesPage())
  const { page, faults } = watched
  await page.getByText('No rules.').waitFor()
  await page.getByRole('button', { name: 'Add rule' }).click()
  await page.getByLabel('Effect').selectOption('deny')
  await page.getByLabel('Name').fill('no push')
  await page.getByLabel('Commands', { exact: true }).fill('git push\nnpm publish')
  await page.getByLabel('Files').fill('**/*.pem')
  const means = 'Deny: commands that start with “git push” or “npm publish”, where any file is in “**/*.pem”.'
  await page.getByRole('region', { name: 'Rules' }).getByText(means).waitFor()
  await page.getByRole('region', { name: 'Unsaved changes' }).getByText(`+ no push. ${means}`).waitFor()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Saved as version 1').waitFor()
  const rule = { effect: 'deny', name: 'no push', commands: ['git push', 'npm publish'], paths: ['**/*.pem'] }
  assert.deepEqual((await rulesOf()).rules, [rule])
  await page.getByRole('button', { name: 'Undo' }).click()
  await until(async () => (await rulesOf()).version === 2)
  await page.getByText('No rules.').waitFor()
  await page.getByLabel('Version', { exact: true }).selectOption('1')
  await page.getByRole('region', { name: 'Version 1' }).getByText(means).first().waitFor()
  assert.equal(new URL(page.url()).searchParams.get('version'), '1')
  await page.getByRole('button', { name: 'Restore' }).click()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await until(async () => (await rulesOf()).version === 3)
  assert.deepEqual((await rulesOf()).rules, [rule])
  assert.deepEqual(faults, [])
})

test('the service’s error for a rule is shown, and nothing is saved', options, async () => {
  await talk.ask('PUT', `/interns/${talk.id}/rules`, { body: { rules: [{ effect: 'ask' }] } })
  const { version } = await rulesOf()
  await using watched = await open(rulesPage())
  const { page, faults } = watched
  await page.getByRole('button', { name: 'Change rule 1' }).click()
  await page.getByLabel('Effect').selectOption('allow')
  await page.getByLabel('Commands', { exact: true }).fill('sudo ls')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page
    .getByRole('alert')
    .getByText(/would never be allowed/)
    .first()
    .waitFor()
  assert.equal((await rulesOf()).version, version)
  assert.deepEqual(
    faults.filter((fault) => !fault.includes('400')),
    [],
  )
})

test('the second click of two removes no rule that has just moved up under the pointer', options, async () => {
  const rules = ['first', 'second', 'third'].map((name) => ({ effect: 'deny', name, commands: [name] }))
  await talk.ask('PUT', `/interns/${talk.id}/rules`, { body: { rules } })
  await using watched = await open(rulesPage())
  const { page, faults } = watched
  await page.getByRole('button', { name: 'Remove rule 3' }).waitFor()
  await page.getByRole('button', { name: 'Remove rule 1' }).dblclick()
  await page.getByRole('button', { name: 'Remove rule 3' }).waitFor({ state: 'detached' })
  // The second would be gone as well by now.
  await page.waitForTimeout(500)
  await page.getByRole('button', { name: 'Remove rule 2' }).waitFor()
  assert.deepEqual(faults, [])
})

test('the replay shows the draft’s decisions and where members decided differently', options, async () => {
  await talk.ask('PUT', `/interns/${talk.id}/rules`, { body: { rules: [] } })
  for (const [command, result] of [
    ['npm test', 'reject_once'],
    ['make', 'allow_once'],
    ['npm test', 'allow_once'],
  ] as const)
    await answer(talk, talk.id, await say(talk, talk.id, wants(command)), result)
  await using watched = await open(rulesPage())
  const { page, faults } = watched
  await page.getByText('Would have allowed 0 of 3').waitFor()
  await page.getByRole('button', { name: 'Add rule' }).click()
  await page.getByLabel('Effect').selectOption('allow')
  await page.getByLabel('Commands', { exact: true }).fill('npm test')
  await page.getByText('Would have allowed 2 of 3, 1 of the 1 that members rejected').waitFor()
  const otherwise = page.getByRole('table', { name: 'Differences from the actual answers' })
  await otherwise.getByText('npm test').waitFor()
  await otherwise.getByText('members: reject once').waitFor()
  assert.equal(await otherwise.getByRole('row').count(), 1)
  await page.getByText('Questions: ').click()
  await page.getByRole('table', { name: 'Questions' }).getByText('members: allow once').waitFor()
  assert.deepEqual(await accessibilityFaults(page), [])
  assert.deepEqual(faults, [])
})

test('the rules of the workspace are its managers’ to change, and a viewer’s to read', options, async () => {
  await using owner = await open('/interns?part=rules', { key: talk.managementKey })
  await owner.page.getByRole('button', { name: 'Add rule' }).click()
  await owner.page.getByLabel('Tools').fill('shell.escalate')
  await owner.page.getByRole('button', { name: 'Save', exact: true }).click()
  await owner.page.getByText('Saved as version 1').waitFor()
  assert.deepEqual(owner.faults, [])
  for (const colorScheme of ['light', 'dark'] as const) {
    await using viewer = await open('/interns?part=rules', {
      key: undefined,
      link: await linkForRole(talk, colorScheme === 'light' ? 'viewer' : 'admin'),
      colorScheme,
    })
    await viewer.page.getByText('Ask, also in self-drive: the tool “shell.escalate” and its subtools.').waitFor()
    assert.equal(await viewer.page.getByRole('button', { name: 'Add rule' }).count(), colorScheme === 'light' ? 0 : 1)
    assert.deepEqual(await accessibilityFaults(viewer.page), [])
    assert.deepEqual(viewer.faults, [])
  }
})

test('an admin reads and changes the rules of each workspace, whichever is their own', options, async () => {
  const { id } = (await talk.manage('POST', '/workspaces', { name: 'Elsewhere', slug: 'elsewhere' })).body.data
  const rules = [{ effect: 'deny', tools: ['fetch'] }]
  await talk.manage('PUT', `/workspaces/${id}/intern-rules`, { rules })
  await using watched = await open('/interns?part=rules', { key: undefined, link: await linkForRole(talk, 'admin') })
  const { page, faults } = watched
  await page.getByRole('main').getByLabel('Workspace').selectOption('Elsewhere')
  await page.getByText('Deny: the tool “fetch” and its subtools.').waitFor()
  assert.equal(new URL(page.url()).searchParams.get('workspace'), id)
  await page.getByRole('button', { name: 'Add rule' }).click()
  await page.getByLabel('Tools').last().fill('shell')
  // An unsaved draft stays while another workspace is open, which displays a hint.
  const own = (await talk.manage('GET', '/workspaces')).body.data.find((one: { id: string }) => one.id !== id)
  await page.getByRole('main').getByLabel('Workspace').selectOption(own.id)
  await page.getByText('the tool “fetch”').first().waitFor({ state: 'detached' })
  await page.getByRole('main').getByLabel('Workspace').selectOption('Elsewhere, not saved yet')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Saved as version 2').waitFor()
  const { data } = (await talk.manage('GET', `/workspaces/${id}/intern-rules`)).body
  assert.deepEqual([data.version, data.rules.length], [2, 2])
  await page.getByLabel('Version').selectOption('1')
  await page.waitForURL(
    ({ searchParams }) => searchParams.get('version') === '1' && searchParams.get('workspace') === id,
  )
  assert.deepEqual(await accessibilityFaults(page), [])
  assert.deepEqual(faults, [])
})

test("rules of another member's intern are shown without an edit form", options, async () => {
  await talk.ask('PATCH', `/interns/${talk.id}`, { body: { visibility: 'workspace' } })
  await using watched = await open(rulesPage(), { key: undefined, link: await linkForRole(talk, 'developer') })
  await watched.page.getByText('Only the creator of the intern can change its rules.').waitFor()
  assert.equal(await watched.page.getByRole('button', { name: 'Add rule' }).count(), 0)
  await watched.page.goto(new URL('/interns?part=rules', watched.page.url()).href)
  await watched.page.getByText('Access denied').waitFor()
  assert.deepEqual(watched.faults, [])
})

test('rules that somebody else changed meanwhile keep the changes of both', options, async () => {
  const deny = (name: string) => ({ effect: 'deny', name, commands: [name] })
  const put = (names: string[]) => talk.ask('PUT', `/interns/${talk.id}/rules`, { body: { rules: names.map(deny) } })
  await put(['first', 'second'])
  await using watched = await open(rulesPage())
  const { page, faults } = watched
  await page.getByRole('button', { name: 'Remove rule 1' }).click()
  await put(['first', 'second', 'theirs'])
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('alert', { name: 'Changed by others' }).getByText('+ theirs.').waitFor()
  assert.equal(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled(), true)
  await page.getByRole('button', { name: 'Merge these changes' }).click()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await until(async () => (await rulesOf()).rules.map(({ name }: { name: string }) => name).join() === 'second,theirs')
  assert.deepEqual(
    faults.filter((fault) => !fault.includes('409')),
    [],
  )
})
