import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { noBrowser, startBrowser } from '../../harness/browser/chromium.ts'
import { signedInPage } from '../../harness/browser/console.ts'
import { type InternChatService, startInternChatService } from '../../harness/interns/intern-chat.ts'
import { say } from '../../harness/interns/interns.ts'
import { openBrowser } from '../../harness/service/browser-client.ts'
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
const open = (path: string, more: object = {}) => signedInPage(browser, talk, path, more)

/** Waits until the focused element matches. */
const untilFocus = (page: Page, selector: string, text = '') =>
  page.locator(`${selector}:focus`).filter({ hasText: text }).waitFor({ state: 'attached' })
const untilTitle = (page: Page, title: string) => until(async () => (await page.title()) === title)

test('the focus is on the heading of a new page, also after "Back"', options, async () => {
  await using watched = await open('/interns')
  const { page, faults } = watched
  await untilTitle(page, 'Interns · Signalbox')
  // Nobody has opened the first page from another one: it begins where pages begin.
  assert.equal(await page.evaluate('document.activeElement === document.body'), true)
  await page.getByRole('link', { name: 'ada', exact: true }).press('Enter')
  await untilFocus(page, 'h1', 'ada')
  await untilTitle(page, 'ada · Interns · Signalbox')
  await page.goBack()
  await untilFocus(page, 'h1', 'Interns')
  await page.getByRole('link', { name: 'Keys & members' }).click()
  await untilFocus(page, 'h1', 'Keys & members')
  await page.getByRole('link', { name: 'Browser sessions' }).press('Enter')
  await untilTitle(page, 'Browser sessions · Keys & members · Signalbox')
  await untilFocus(page, 'h1')
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').fill('guardrails')
  await page.keyboard.press('Enter')
  await untilTitle(page, 'Guardrails · Signalbox')
  await untilFocus(page, 'h1', 'Guardrails')
  assert.deepEqual(faults, [])
})

test('the heading has an outline after keyboard navigation, and none after a click', options, async () => {
  await using watched = await open('/keys')
  const { page } = watched
  const outlined = () => page.evaluate("document.activeElement.matches('h1:focus-visible')")
  await page.getByRole('link', { name: 'Browser sessions' }).click()
  await untilTitle(page, 'Browser sessions · Keys & members · Signalbox')
  await untilFocus(page, 'h1')
  assert.equal(await outlined(), false)
  await page.getByRole('link', { name: 'Members', exact: true }).press('Enter')
  await untilTitle(page, 'Members · Keys & members · Signalbox')
  await untilFocus(page, 'h1')
  assert.equal(await outlined(), true)
})

test('filtering and typing keep the focus', options, async () => {
  await using watched = await open('/models')
  const { page } = watched
  await page.getByRole('link', { name: 'Keys & members' }).click()
  await untilFocus(page, 'h1')
  await page.keyboard.press('/')
  await page.keyboard.type('own')
  await page.waitForURL(/q=own/)
  await untilFocus(page, 'input')
})

test('after a response by keyboard the focus is on the next question or the heading', options, async () => {
  for (const name of ['first', 'second', 'third']) await say(talk, talk.id, `permission ${name} allow_once reject_once`)
  await using watched = await open('/interns', { key: talk.apiKey })
  const { page, faults } = watched
  await page.getByRole('article').nth(2).waitFor()
  const reject = (name: string) =>
    page.getByRole('article').filter({ hasText: name }).getByRole('button', { name: 'Reject' }).press('Enter')
  await reject('second')
  await untilFocus(page, 'article.selected-question', 'third')
  await reject('third')
  await untilFocus(page, 'article.selected-question', 'first')
  await reject('first')
  await page.getByText('No open questions').waitFor()
  await untilFocus(page, 'h1', 'Interns')
  assert.deepEqual(faults, [])
})

test('after a sign-out by keyboard the focus is on the next row', options, async () => {
  for (let others = 0; others < 2; others++) await openBrowser(talk, { key: talk.apiKey })
  await using watched = await open('/keys/sessions')
  const { page, faults } = watched
  const buttons = page.getByRole('button', { name: /^Sign out / }).and(page.locator('td *'))
  await buttons.first().waitFor()
  for (let remaining = await buttons.count(); remaining > 0; remaining--) {
    await buttons.first().press('Enter')
    await until(async () => (await buttons.count()) === remaining - 1)
    await untilFocus(page, 'tr')
  }
  assert.deepEqual(faults, [])
})

test('after a deletion by keyboard the focus is on the next row', options, async () => {
  await talk.manage('POST', '/keys', { name: 'doomed' })
  await using watched = await open('/keys')
  const { page, faults } = watched
  await page.getByRole('button', { name: 'Change doomed' }).press('Enter')
  await page.getByLabel('cannot be undone').fill('doomed')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Change doomed' }).waitFor({ state: 'detached' })
  await untilFocus(page, 'tr')
  assert.deepEqual(faults, [])
})

test('after the removal of the only row the focus is on the heading', options, async () => {
  await talk.manage('POST', '/byok', { provider: 'openai', key: 'sk-brought-0123456789', name: 'team' })
  await using watched = await open('/keys/providers')
  const { page, faults } = watched
  await page.getByRole('button', { name: 'Change team' }).press('Enter')
  await page.getByLabel('cannot be undone').fill('team')
  await page.keyboard.press('Enter')
  await page.getByText('No provider keys').waitFor()
  await untilFocus(page, 'h1', 'Keys & members')
  assert.deepEqual(faults, [])
})

test('after an undo by keyboard the focus is where it was', options, async () => {
  await talk.manage('POST', '/keys', { name: 'changing', limit: 5 })
  await using watched = await open('/keys')
  const { page, faults } = watched
  const change = page.getByRole('button', { name: 'Change changing' })
  await change.press('Enter')
  await page.getByLabel('Limit in USD').fill('7')
  await page.keyboard.press('Enter')
  // The dialog has gone, and its button has the focus again.
  await change.and(page.locator(':focus')).waitFor()
  await page.getByRole('button', { name: 'Undo' }).press('Enter')
  await page.getByRole('button', { name: 'Undo' }).waitFor({ state: 'detached' })
  await change.and(page.locator(':focus')).waitFor()
  assert.deepEqual(faults, [])
})
