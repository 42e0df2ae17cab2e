import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { noBrowser, startBrowser } from '../../harness/browser/chromium.ts'
import { signedInPage } from '../../harness/browser/console.ts'
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

test('the search finds the first and the last of 102 interns', { skip: noBrowser }, async () => {
  for (let index = 0; index <= 100; index++) {
    const { status, text } = await talk.ask('POST', '/interns', { body: { name: `n${index}`, provision: false } })
    assert.ok(status < 300, text)
  }
  await using watched = await signedInPage(browser, talk, '/models', { key: talk.apiKey })
  const { page, faults } = watched
  await page.getByRole('button', { name: 'Go to…' }).click()
  for (const name of ['ada', 'n100']) {
    await page.getByRole('combobox', { name: 'Search' }).fill(name)
    await page.getByRole('option').filter({ hasText: name }).filter({ hasText: 'intern' }).first().waitFor()
  }
  assert.deepEqual(faults, [])
})
