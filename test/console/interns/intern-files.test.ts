import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { accessibilityFaults } from '../../harness/browser/accessibility.ts'
import { noBrowser, startBrowser } from '../../harness/browser/chromium.ts'
import { linkForRole, signedInPage } from '../../harness/browser/console.ts'
import { type InternChatService, startInternChatService } from '../../harness/interns/intern-chat.ts'
import { createFilesClient, workspaceOf } from '../../harness/interns/intern-files.ts'
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

test('files of an intern are walked through, read, brought and taken', options, async () => {
  await createFilesClient(talk, talk.id)(
    'PUT',
    'content',
    { path: 'docs/notes.md' },
    { body: 'What <b>was</b> found\u202e' },
  )
  await using watched = await signedInPage(browser, talk, `/interns/${talk.id}`, { key: talk.apiKey })
  const { page, faults } = watched
  await page.getByRole('button', { name: 'docs/', exact: true }).click()
  await page.getByRole('button', { name: 'notes.md', exact: true }).click()
  await page.getByText('What <b>was</b> found\\u202e', { exact: true }).waitFor()
  const file = { name: 'values.csv', mimeType: 'text/csv', buffer: Buffer.from('1,2,3') }
  await page.getByLabel('Upload').setInputFiles(file)
  await page.getByRole('button', { name: 'values.csv', exact: true }).waitFor()
  const there = join(workspaceOf(talk, talk.id), 'docs/values.csv')
  await until(async () => readFileSync(there, 'utf8') === '1,2,3')
  const downloaded = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download', exact: true }).first().click()
  const result = await downloaded
  assert.equal(result.suggestedFilename(), 'notes.md')
  assert.deepEqual(await accessibilityFaults(page), [])
  const pictures = process.env.PICTURES
  for (const width of pictures ? [1280, 390] : []) {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize({ width, height: 900 })
      await page.emulateMedia({ colorScheme })
      await page.screenshot({ path: `${pictures}-${width}-${colorScheme}.png`, fullPage: true })
    }
  }
  // A file that exists is not replaced, and the page reports it.
  await page.getByLabel('Upload').setInputFiles({ ...file, buffer: Buffer.from('other') })
  await page.getByText(/exists already/).waitFor()
  assert.equal(readFileSync(there, 'utf8'), '1,2,3')
  assert.deepEqual(
    faults.filter((fault) => !/409/.test(fault)),
    [],
  )
})

test('a folder is created, a file renamed and deleted, with undo', options, async () => {
  const files = createFilesClient(talk, talk.id)
  await files('PUT', 'content', { path: 'old.txt' }, { body: 'kept' })
  const there = (path: string) => existsSync(join(workspaceOf(talk, talk.id), path))
  await using watched = await signedInPage(browser, talk, `/interns/${talk.id}`, { key: talk.apiKey })
  const { page, faults } = watched
  const undo = page.getByRole('button', { name: 'Undo' })
  await page.getByLabel('Name of the new folder').fill('reports')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByRole('button', { name: 'reports/', exact: true }).waitFor()
  await undo.click()
  await until(async () => !there('reports'))
  await page.getByRole('button', { name: 'Change old.txt' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel(/^Path/).fill('new.txt')
  assert.deepEqual(await accessibilityFaults(page), [])
  await dialog.getByRole('button', { name: 'Rename' }).click()
  await page.getByRole('button', { name: 'new.txt', exact: true }).waitFor()
  await undo.last().click()
  await page.getByRole('button', { name: 'old.txt', exact: true }).waitFor()
  assert.ok(there('old.txt') && !there('new.txt'))
  await page.getByRole('button', { name: 'Change old.txt' }).click()
  await dialog.getByLabel('cannot be undone').fill('old.txt')
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByRole('button', { name: 'old.txt', exact: true }).waitFor({ state: 'detached' })
  await until(async () => !there('old.txt'))
  await page.getByLabel('Upload').setInputFiles({ name: 'up.txt', mimeType: 'text/plain', buffer: Buffer.from('x') })
  await page.getByText('1 file uploaded').waitFor()
  await undo.last().click()
  await until(async () => !there('up.txt'))
  assert.deepEqual(faults, [])
})

test('a folder with more entries than one page is listed completely', options, async () => {
  const folder = join(workspaceOf(talk, talk.id), 'many')
  mkdirSync(folder)
  for (let index = 0; index < 620; index++) writeFileSync(join(folder, `file-${1000 + index}`), '')
  await using watched = await signedInPage(browser, talk, `/interns/${talk.id}`, { key: talk.apiKey })
  const { page, faults } = watched
  await page.getByRole('button', { name: 'many/' }).click()
  await page.getByRole('button', { name: 'file-1499', exact: true }).waitFor()
  assert.equal(await page.getByRole('button', { name: 'file-1619', exact: true }).count(), 0)
  await page.getByRole('button', { name: 'Show more' }).click()
  await page.getByRole('button', { name: 'file-1619', exact: true }).waitFor()
  assert.deepEqual(faults, [])
})

test('a user without access to the intern sees no files', options, async () => {
  await talk.ask('PATCH', `/interns/${talk.id}`, { body: { visibility: 'workspace' } })
  await using watched = await signedInPage(browser, talk, `/interns/${talk.id}`, {
    link: await linkForRole(talk, 'viewer'),
  })
  await watched.page.getByRole('heading', { name: 'Sessions', exact: true }).waitFor()
  assert.equal(await watched.page.getByRole('heading', { name: 'Files' }).count(), 0)
})

test('of several files those that fail are named, and the others can be undone', options, async () => {
  await createFilesClient(talk, talk.id)('PUT', 'content', { path: 'b.txt' }, { body: 'kept' })
  const there = (path: string) => existsSync(join(workspaceOf(talk, talk.id), path))
  await using watched = await signedInPage(browser, talk, `/interns/${talk.id}`, { key: talk.apiKey })
  const { page } = watched
  const files = ['a.txt', 'b.txt', 'c.txt'].map((name) => ({ name, mimeType: 'text/plain', buffer: Buffer.from('x') }))
  await page.getByLabel('Upload').setInputFiles(files)
  await page.getByText(/^b\.txt: .*exists already/).waitFor()
  await page.getByText('2 files uploaded').waitFor()
  assert.ok(there('a.txt') && there('c.txt'))
  await page.getByRole('button', { name: 'Undo' }).click()
  await until(async () => !there('a.txt') && !there('c.txt') && there('b.txt'))
})

test('the text of the file that was pressed last is shown', options, async () => {
  const put = createFilesClient(talk, talk.id)
  for (const name of ['slow', 'fast']) await put('PUT', 'content', { path: `${name}.txt` }, { body: `text of ${name}` })
  await using watched = await signedInPage(browser, talk, `/interns/${talk.id}`, { key: talk.apiKey })
  const { page, faults } = watched
  const released = Promise.withResolvers<void>()
  await page.route('**/files/content?*slow.txt', async (route) => {
    await released.promise
    await route.continue()
  })
  await page.getByRole('button', { name: 'slow.txt', exact: true }).click()
  await page.getByRole('button', { name: 'fast.txt', exact: true }).click()
  await page.getByText('text of fast').waitFor()
  const late = page.waitForResponse(/slow\.txt/)
  released.resolve()
  await (await late).finished()
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)))
  assert.equal(await page.getByText('text of fast').count(), 1)
  assert.deepEqual(faults, [])
})
