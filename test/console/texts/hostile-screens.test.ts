import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { noBrowser, startBrowser } from '../../harness/browser/chromium.ts'
import { signedInPage } from '../../harness/browser/console.ts'
import {
  createObjects,
  payloadLines as inLine,
  requireNoScriptEffects,
  somePayloads as some,
} from '../../harness/browser/hostile-names.ts'
import { scriptPayloads } from '../../harness/browser/script-payloads.ts'
import { type InternChatService, startInternChatService } from '../../harness/interns/intern-chat.ts'
import { say } from '../../harness/interns/interns.ts'

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
const open = (path: string) => signedInPage(browser, talk, path, { key: talk.managementKey })
const goto = (page: Page, path: string) => page.goto(new URL(path, page.url()).href)

test('guardrails: names, descriptions, patterns, audit log and tested texts', options, async () => {
  const ids: string[] = []
  await createObjects(async (payload, index) => {
    const created = await talk.manage('POST', '/guardrails', {
      name: `${index} ${payload}`.slice(0, 200),
      description: payload,
    })
    if (created.status === 201) ids.push(created.body.data.id)
    return created
  })
  await using watched = await open('/guardrails')
  const { page } = watched
  await page.getByRole('row').nth(2).waitFor()
  await requireNoScriptEffects(watched)
  for (const [at, { payload }] of some.entries()) {
    await talk.manage('PATCH', `/guardrails/${ids[at]}`, {
      content_filters: [{ pattern: '.', action: 'flag', label: payload.slice(0, 100) }],
    })
    await goto(page, `/guardrails/${ids[at]}`)
    await page.getByLabel('Text', { exact: true }).fill(payload)
    await page.getByText('The text would be sent unchanged.').waitFor()
    assert.equal((await page.locator('.tried-text').textContent())?.replace(/\s/g, ''), payload.replace(/\s/g, ''))
    await requireNoScriptEffects(watched)
  }
})

test('keys and members: names of keys, members, credentials, and the audit log', options, async () => {
  await createObjects((payload) => talk.manage('POST', '/keys', { name: payload.slice(0, 80) }))
  await createObjects((payload, index) =>
    talk.manage('POST', '/organization/members', {
      email: `p${index}@example.com`,
      name: payload.slice(0, 80),
      access: 'viewer',
    }),
  )
  await createObjects((payload) =>
    talk.manage('POST', '/byok', { provider: 'openai', key: `sk-${'0'.repeat(20)}`, name: payload.slice(0, 80) }),
  )
  await using watched = await open('/keys')
  const { page } = watched
  for (const path of ['/keys', '/keys/people', '/keys/providers', '/keys/sessions', '/keys/audit'])
    for (const offset of [0, 50, 100, 150]) {
      await goto(page, `${path}?offset=${offset}`)
      await page.getByRole('table').or(page.locator('.state h2')).first().waitFor()
      await requireNoScriptEffects(watched)
    }
  await goto(page, '/keys/audit')
  for (const summary of (await page.locator('summary').all()).slice(0, 20)) await summary.click()
  await requireNoScriptEffects(watched)
  await goto(page, '/keys')
  await page
    .getByRole('button', { name: /^Change/ })
    .first()
    .click()
  await page.getByRole('dialog').getByLabel('cannot be undone').waitFor()
  await requireNoScriptEffects(watched)
})

test('presets: descriptions, prompts and fields of every version', options, async () => {
  const taken = await createObjects((payload) =>
    talk.manage('POST', '/presets/hostile/chat/completions', {
      model: 'signalbox/demo',
      stop: [payload.slice(0, 60)],
      messages: [{ role: 'system', content: payload }],
    }),
  )
  await talk.manage('PATCH', '/presets/hostile', { description: scriptPayloads[0] })
  await using watched = await open('/presets')
  const { page } = watched
  await page.getByRole('row').getByText('@preset/hostile').waitFor()
  await requireNoScriptEffects(watched)
  for (const { index } of some) {
    const version = Math.min(index + 1, taken.length)
    await goto(page, `/presets/hostile?version=${version}&against=${taken.length}`)
    await page.getByRole('heading', { name: `Version ${version}` }).waitFor()
    await page
      .getByText(taken[version - 1]!.split('\n')[0]!.slice(0, 30))
      .first()
      .waitFor()
    await requireNoScriptEffects(watched)
  }
})

test('interns: prompts, messages, questions and actions', options, async () => {
  await using watched = await open('/interns')
  const { page } = watched
  const { sessionId } = await say(talk, talk.id, inLine.map((payload) => `say ${payload}`).join('\n'), {
    approval_mode: 'self-drive',
  })
  await talk.ask('PATCH', `/interns/${talk.id}`, { body: { description: inLine[0], instructions: inLine[1] } })
  for (const path of ['', `/${talk.id}`, `/${talk.id}/${sessionId}`]) {
    await goto(page, `/interns${path}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await requireNoScriptEffects(watched)
  }
  await page.getByRole('list', { name: 'Transcript' }).getByText(inLine[0]!).first().waitFor()
  await requireNoScriptEffects(watched)
  for (const { payload, index } of some) {
    const change = { before: `${payload}\n`, after: `${scriptPayloads[index + 1]}\n` }
    const { sessionId: asking, question } = await say(talk, talk.id, `edit a-${index}.html ${JSON.stringify(change)}`)
    await goto(page, `/interns/${talk.id}/${asking}`)
    await page.locator('.diff .added').first().waitFor()
    await requireNoScriptEffects(watched)
    const messages = [{ role: 'tool', tool_call_id: question?.id, content: 'cancel' }]
    await talk.ask('POST', `/interns/${talk.id}/sessions/${asking}/chat/completions`, { body: { messages } })
  }
})

test('rules of interns: names, conditions, replays and questions', options, async () => {
  await say(talk, talk.id, 'permission shell allow_once')
  const rules = inLine.map((payload) => ({
    effect: 'deny',
    name: payload.slice(0, 100),
    tools: [payload.slice(0, 300)],
    paths: [payload.slice(0, 300)],
    agents: [payload.slice(0, 300)],
  }))
  const taken = await talk.ask('PUT', `/interns/${talk.id}/rules`, { body: { rules } })
  assert.equal(taken.status, 200, taken.text)
  await talk.ask('PUT', `/interns/${talk.id}/rules`, { body: { rules: rules.slice(1) } })
  await using watched = await signedInPage(browser, talk, `/interns/${talk.id}?part=rules&version=1`, {
    key: talk.apiKey,
  })
  const { page } = watched
  await page.getByRole('region', { name: 'Version 1' }).getByText(inLine[0]!.slice(0, 60)).first().waitFor()
  await page.getByRole('region', { name: 'Replay' }).getByText('Notes').waitFor()
  await page.getByRole('button', { name: 'Change rule 1', exact: true }).click()
  await page.getByLabel('Tools').waitFor()
  await requireNoScriptEffects(watched)
})

test('MCP servers, webhooks and hosts: commands, addresses, names and labels', options, async () => {
  const some = scriptPayloads.filter((_, index) => index % 6 === 0).slice(0, 20)
  const mcp_servers = some.map((payload, index) => ({
    name: `s${index}`,
    command: payload.replace(/\s/g, ' ').trim() || 'x',
    args: [payload],
    env: { TOKEN: payload },
  }))
  const taken = await talk.ask('PATCH', `/interns/${talk.id}`, { body: { mcp_servers } })
  assert.equal(taken.status, 200, taken.text)
  for (const [index, payload] of some.entries()) {
    const url = `https://hooks.example.com/${index}?${encodeURIComponent(payload)}`
    const created = await talk.manage('POST', '/webhooks', { url, description: payload.slice(0, 900) })
    assert.equal(created.status, 201, created.text)
  }
  await using watched = await signedInPage(browser, talk, `/interns/${talk.id}?part=tools`, { key: talk.apiKey })
  const { page } = watched
  await page.getByRole('button', { name: 'Change s0' }).click()
  await page.getByRole('dialog').getByLabel('Value of TOKEN').waitFor()
  await requireNoScriptEffects(watched)
  await using managed = await open('/interns?part=webhooks')
  await managed.page.getByRole('row').nth(some.length).waitFor()
  await requireNoScriptEffects(managed)
  await managed.page
    .getByRole('button', { name: /^Change/ })
    .first()
    .click()
  await managed.page.getByRole('dialog').getByLabel('URL').waitFor()
  await requireNoScriptEffects(managed)
})
