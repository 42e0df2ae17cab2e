import assert from 'node:assert/strict'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { accessibilityFaults } from '../../harness/browser/accessibility.ts'
import { noBrowser, startBrowser } from '../../harness/browser/chromium.ts'
import { linkForRole, signedInPage } from '../../harness/browser/console.ts'
import { type InternChatService, startInternChatService } from '../../harness/interns/intern-chat.ts'

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
const open = (more: object = {}) => signedInPage(browser, talk, `/interns/${talk.id}`, { key: talk.apiKey, ...more })

const write = (text: string, id = talk.id) =>
  appendFileSync(join(talk.testStore.settings.data_dir!, 'interns', id, 'daemon.log'), text)

test('the log of an intern is followed, and not any more, and looked at again', options, async () => {
  const time = '2026-01-02T03:04:05.000Z'
  write(`${JSON.stringify({ time, event: 'agent.ended', why: 'no <b>such</b> file' })}\n`)
  await using watched = await open()
  const { page, faults } = watched
  await page.getByRole('link', { name: 'Log', exact: true }).click()
  const log = page.getByRole('region', { name: 'Log' })
  await log.getByText('agent.ended').waitFor()
  await log.getByText('2026-01-02 03:04:05').waitFor()
  await log.getByText('why: no <b>such</b> file').waitFor()
  write('said meanwhile \u202e\n')
  await log.getByText('said meanwhile \\u202e').waitFor()
  await page.getByRole('button', { name: 'Live', exact: true }).click()
  await page.getByRole('button', { name: 'Paused' }).waitFor()
  write('said unseen\n')
  await page.getByRole('button', { name: 'Refresh' }).click()
  await log.getByText('said unseen').waitFor()
  assert.deepEqual(faults, [])
})

test('a missing log shows a message', options, async () => {
  const { body } = await talk.ask('POST', '/interns', { body: { name: 'unstarted', provision: false } })
  await using watched = await signedInPage(browser, talk, `/interns/${body.id}?part=log`, { key: talk.apiKey })
  await watched.page.getByText('It has not been started yet.').waitFor()
  assert.deepEqual(watched.faults, [])
})

test('a viewer is not offered it', options, async () => {
  await talk.ask('PATCH', `/interns/${talk.id}`, { body: { visibility: 'workspace' } })
  await using watched = await open({ key: undefined, link: await linkForRole(talk, 'viewer') })
  await watched.page.getByRole('link', { name: 'Tools', exact: true }).waitFor()
  assert.equal(await watched.page.getByRole('link', { name: 'Log', exact: true }).count(), 0)
  assert.deepEqual(watched.faults, [])
})

for (const colorScheme of ['light', 'dark'] as const)
  for (const width of [1280, 390])
    test(`the log is accessible: ${colorScheme}, ${width} px`, options, async () => {
      write(`${'long '.repeat(200)}\n`.repeat(30))
      await using watched = await signedInPage(browser, talk, `/interns/${talk.id}?part=log`, {
        ...{ key: talk.apiKey, colorScheme, viewport: { width, height: 800 } },
      })
      await watched.page.getByRole('region', { name: 'Log' }).getByText('long').first().waitFor()
      assert.deepEqual(await accessibilityFaults(watched.page), [])
      assert.equal(await watched.page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true)
    })
