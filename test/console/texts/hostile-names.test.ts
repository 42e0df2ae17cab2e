import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { noBrowser, startBrowser, watchedPage } from '../../harness/browser/chromium.ts'
import { signedInPage } from '../../harness/browser/console.ts'
import {
  createObjects,
  payloadLines,
  requireNoScriptEffects,
  somePayloads,
} from '../../harness/browser/hostile-names.ts'
import { scriptPayloads } from '../../harness/browser/script-payloads.ts'
import { type InternChatService, startInternChatService } from '../../harness/interns/intern-chat.ts'
import { createFilesClient } from '../../harness/interns/intern-files.ts'
import { answer, say } from '../../harness/interns/interns.ts'
import { client, type Issuer, RedirectFollower, startIssuer } from '../../harness/service/sign-in/oidc-issuer.ts'
import { untilMetered } from '../../harness/service/world/generation-record.ts'

const folder = mkdtempSync(join(tmpdir(), 'signalbox-hostile-'))
const catalogue_file = join(folder, 'catalogue.json')

/** Models, providers and skipped rows with every name. */
function hostileCatalogue(): string {
  const provider = (name: string) => ({ name, protocol: 'openai-chat', base_url: 'http://127.0.0.1:9/v1' })
  const model = (payload: string, index: number) => ({
    ...{ name: payload, description: payload, created: '2026-01-01', context_length: 1000 },
    benchmarks: { intelligence: 1 + index },
    endpoints: { [`p${index % 10}`]: { model: payload, prices: { prompt: 1 + index, completion: 2 } } },
  })
  return JSON.stringify({
    providers: Object.fromEntries(somePayloads.map(({ payload }, index) => [`p${index}`, provider(payload)])),
    models: Object.fromEntries([
      ...scriptPayloads.map((payload, index) => [`hostile/m${index}`, model(payload, index)]),
      ...payloadLines.map((payload) => [`broken/${payload}`, { name: payload, created: payload }]),
    ]),
  })
}

let talk: InternChatService
let issuer: Issuer
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  if (noBrowser) return
  writeFileSync(catalogue_file, hostileCatalogue())
  issuer = await startIssuer()
  const oidc = {
    oidc_issuer: issuer.url,
    ...client,
    oidc_domains: ['example.com'],
    oidc_groups: { '*': { workspace: 'default' } },
  }
  const settings = { console: 'true' as never, catalogue_file, ...oidc }
  ;[talk, browser] = await Promise.all([startInternChatService({ settings }), startBrowser()])
  issuer.serve(talk)
})
after(async () => {
  await browser?.close()
  await talk?.[Symbol.asyncDispose]()
  await issuer?.[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
})
const options = { skip: noBrowser }
const open = (path: string) => signedInPage(browser, talk, path, { key: talk.managementKey })
const goto = (page: Page, path: string) => page.goto(new URL(path, page.url()).href)

test('workspaces: names and descriptions in all places', options, async () => {
  await createObjects((payload, index) =>
    talk.manage('POST', '/workspaces', { name: payload.slice(0, 200), slug: `w-${index}`, description: payload }),
  )
  await using watched = await open('/keys/workspaces')
  const { page } = watched
  for (const offset of [0, 50, 100]) {
    await goto(page, `/keys/workspaces?offset=${offset}`)
    await page.getByRole('row').nth(1).waitFor()
    await requireNoScriptEffects(watched)
  }
  for (const [path, label] of [
    ['/keys', 'Workspace'],
    ['/keys/providers', 'Workspace'],
    ['/interns?part=rules', 'Workspace'],
  ] as const) {
    await goto(page, path)
    await page.getByRole('main').getByLabel(label).waitFor()
    await requireNoScriptEffects(watched)
  }
  const { data } = (await talk.manage('GET', '/workspaces?limit=10&offset=1')).body
  for (const { default_guardrail_id } of data) {
    // The session exists after its first prompt.
    await talk.manage('PATCH', `/guardrails/${default_guardrail_id}`, { limit_usd: 1 })
    await goto(page, `/guardrails/${default_guardrail_id}`)
    await page.getByRole('textbox', { name: 'Name' }).waitFor()
    await requireNoScriptEffects(watched)
  }
  await goto(page, '/guardrails')
  await page
    .getByRole('gridcell', { name: /^workspace / })
    .nth(data.length - 1)
    .waitFor()
  await requireNoScriptEffects(watched)
  for (const { payload } of somePayloads) {
    const name = payload.slice(0, 200)
    assert.ok((await talk.manage('PATCH', '/workspaces/default', { name })).status < 300)
    await goto(page, '/keys/workspaces?offset=0')
    const start = payloadLines[scriptPayloads.indexOf(payload)]!.slice(0, 20).trim()
    const switcher = page.getByRole('navigation').getByRole('combobox', { name: 'Workspace' })
    await switcher.locator('option', { hasText: start }).first().waitFor({ state: 'attached' })
    await page
      .getByRole('button', { name: /^Change/ })
      .first()
      .click()
    await page.getByRole('dialog').getByLabel('cannot be undone').waitFor()
    await requireNoScriptEffects(watched)
  }
})

test('a catalogue file: names of models and providers, descriptions, skipped rows', options, async () => {
  const body = { model: 'hostile/m0', messages: [{ role: 'user', content: 'Hi' }] }
  const { headers } = await talk.ask('POST', '/chat/completions', { body })
  const failed = headers.get('x-generation-id')!
  await untilMetered(talk, failed)
  await using watched = await open('/models')
  const { page } = watched
  await page.getByRole('row').getByText('hostile/m').first().waitFor()
  await requireNoScriptEffects(watched)
  await goto(page, '/models?view=plots&q=hostile')
  await page.locator('.scatter svg').first().waitFor()
  await requireNoScriptEffects(watched)
  for (const { payload, index } of somePayloads) {
    await goto(page, `/models/hostile/m${index}`)
    await page.getByRole('heading', { level: 1 }).getByText(payload.split('\n')[0]!.slice(0, 20).trim()).waitFor()
    await page.getByRole('heading', { name: 'Endpoints' }).waitFor()
    await requireNoScriptEffects(watched)
  }
  await goto(page, '/service')
  await page.getByRole('row').getByText(payloadLines[0]!).waitFor()
  await requireNoScriptEffects(watched)
  await goto(page, '/service/catalogue')
  await page.getByRole('table', { name: 'Skipped rows' }).getByText(payloadLines[0]!).first().waitFor()
  await requireNoScriptEffects(watched)
  await goto(page, `/requests/${failed}`)
  await page.locator('.facts', { hasText: failed }).waitFor()
  await requireNoScriptEffects(watched)
  await goto(page, '/overview')
  await page.getByText('hostile/m0').first().waitFor()
  await requireNoScriptEffects(watched)
})

test('members by OpenID Connect: the name from the issuer in all places', options, async () => {
  for (const { payload, index } of somePayloads) {
    issuer.person = {
      id: `person-${index}`,
      claims: { email: `person-${index}@example.com`, email_verified: true, name: payload.slice(0, 80) },
    }
    const traveller = new RedirectFollower()
    await (await traveller.go(`${talk.url}/sessions/oidc`)).body?.cancel()
    const { origin } = new URL(talk.url)
    await using watched = await watchedPage(browser, origin)
    const { page } = watched
    const cookies = [...traveller.jar.get(origin)!].map(([name, value]) => ({ name, value, url: origin }))
    await page.context().addCookies(cookies)
    await page.goto(`${origin}/models`)
    await page.locator('.account').getByText('· viewer ·').waitFor()
    await requireNoScriptEffects(watched)
  }
  await using watched = await open('/keys/people')
  const { page } = watched
  await page.getByRole('row').getByText('person-0@example.com').waitFor()
  await requireNoScriptEffects(watched)
  await goto(page, '/keys/sessions')
  await page.getByText('OpenID Connect').first().waitFor()
  await requireNoScriptEffects(watched)
  await goto(page, '/keys/audit')
  await page.getByText('a member joined').first().waitFor()
  await requireNoScriptEffects(watched)
})

test('files of interns: names of files and folders, and contents', options, async () => {
  const files = createFilesClient(talk, talk.id)
  const taken = await createObjects(async (payload, index) => {
    const path = `folder ${index} ${payloadLines[index]!.replaceAll('/', '∕').slice(0, 60)}`
    const { status, body } = await files('PUT', 'content', { path: `${path}/in it` }, { body: payload })
    return { status, text: JSON.stringify(body) }
  })
  await using watched = await signedInPage(browser, talk, `/interns/${talk.id}`, { key: talk.apiKey })
  const { page } = watched
  const folders = page.getByRole('button', { name: /^folder \d/ })
  await folders.nth(taken.length - 1).waitFor()
  await requireNoScriptEffects(watched)
  await folders.first().click()
  await page.getByRole('button', { name: 'in it', exact: true }).click()
  await page.getByRole('region', { name: /in it$/ }).waitFor()
  await page.getByRole('button', { name: 'Change in it' }).click()
  await page.getByRole('dialog').waitFor()
  await requireNoScriptEffects(watched)
})

test('interns: titles, steps, form fields and session titles', options, async () => {
  await using watched = await signedInPage(browser, talk, `/interns/${talk.id}`, { key: talk.apiKey })
  const { page } = watched
  for (const { index } of somePayloads) {
    const text = payloadLines[index]!
    const message = [`think ${text}`, `plan ${text}`, `tool ${text.replaceAll(' ', '_')} ${text}`].join('\n')
    const field = { type: 'string', title: text, description: text, enum: [text, 'other'] }
    const schema = JSON.stringify({ type: 'object', properties: { [text.slice(0, 60)]: field } })
    const { sessionId, question } = await say(talk, talk.id, `${message}\nask ${schema}`)
    await goto(page, `/interns/${talk.id}/${sessionId}`)
    await page.getByText('asks for input').waitFor()
    await page.getByRole('list', { name: 'Transcript' }).getByText('reasoning').waitFor()
    for (const summary of await page.locator('.transcript summary').all()) await summary.click()
    await requireNoScriptEffects(watched)
    // The maximum number of runs that wait for answers.
    await answer(talk, talk.id, { sessionId, question }, '{"action":"cancel"}')
  }
})
