/**
 * Takes the pictures of docs/console.md anew ("npm run pictures"; with names of screens only theirs): each screen in both
 * themes, wide and narrow. Look at them afterwards.
 */
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { startBrowser } from './harness/chromium.ts'
import { signedInPage } from './harness/console.ts'
import { type DemoWorld, startDemoWorld } from './harness/demo-world.ts'
import { scripted } from './harness/intern-chat.ts'
import { answer, runningIntern, say } from './harness/interns.ts'

/** The address of a screen, wide and narrow, and the text that says that all of it is there. */
type Picture = { screen: string; wide: string; narrow?: string; shows: string; does?: (page: Page) => Promise<void> }

const folder = fileURLToPath(new URL('../docs/console', import.meta.url))
/** What each model answers. */
const said = `The **third**: \`DE811907980\` lacks a digit.

| invoice | VAT id | is |
| --- | --- | --- |
| 1 | \`DE811907980\` | right |
| 3 | \`DE81190798\` | too short |

\`\`\`js
const isWhole = (id) => /^DE\\d{9}$/.test(id)
\`\`\`

Shall I write to the supplier?`
const named = process.argv.slice(2)
/** Small files: documentation is cloned with the code. */
const quality = 50

mkdirSync(folder, { recursive: true })
/** How far the clock of the service is behind: it begins a day ago, and is set as requests are asked. */
let behind = 25 * 3_600_000
await using world = await startDemoWorld({
  now: () => Date.now() - behind,
  settings: { ...scripted, intern_users_from: 0 } as object,
  manner: { paceMs: (provider) => ({ google: 2, openai: 4, deepinfra: 7 })[provider] ?? 5, says: said },
})
await using browser = await startBrowser()
for (let step = 0; behind > 0; step++) {
  // More by day than by night, and never quite the same.
  await world.ask(Math.round(4 + 3 * Math.sin(step / 7) + (step % 3)))
  behind = Math.max(0, behind - 1_800_000)
}
const ids = await world.ask(18)
for (const system of ['Answer with a haiku.', 'Answer with a haiku about the sea.']) {
  const body = { model: 'google/gemini-3-flash', temperature: 0.4, messages: [{ role: 'system', content: system }] }
  await world.service.manage('POST', '/presets/haiku/chat/completions', body)
}
await world.service.manage('PATCH', '/presets/haiku', { description: 'Short answers, for the front page' })
for (const [name, access] of [
  ['Ada Lovelace', 'admin'],
  ['Grace Hopper', 'developer'],
])
  await world.service.manage('POST', '/organization/members', {
    name,
    access,
    email: `${name}@example.com`.replace(' ', '.'),
  })
const intern = await askingIntern(world.service)

const pictures: Picture[] = [
  { screen: 'overview', wide: '/overview', shows: 'Spent, by model' },
  { screen: 'models', wide: '/models?view=plots', shows: 'claude-sonnet-5' },
  {
    screen: 'chat',
    wide: '/chat?model=anthropic/claude-sonnet-5,openai/gpt-5.4-mini',
    shows: 'Shall I write to the supplier?',
    does: async (page) => {
      await page.getByLabel('Message').fill('Which of these invoices has the wrong VAT id?')
      await page.keyboard.press('Enter')
      await page.getByRole('link', { name: 'its request' }).nth(1).waitFor()
    },
  },
  { screen: 'requests', wide: `/requests/${ids[1]}`, narrow: '/requests', shows: 'anthropic/claude-sonnet-5' },
  {
    screen: 'guardrails',
    wide: `/guardrails/${world.guardrailId}`,
    narrow: '/guardrails',
    shows: 'Only what the contract names',
  },
  { screen: 'interns', wide: '/interns', narrow: `/interns/${intern}`, shows: 'wants to' },
  { screen: 'rules', wide: `/interns/${intern}?part=rules`, shows: 'Would have granted' },
  { screen: 'tools', wide: `/interns/${intern}?part=tools`, shows: 'npx -y search-server' },
  { screen: 'service', wide: '/service', shows: 'is set' },
  { screen: 'keys', wide: '/keys', shows: 'ci-bot' },
  { screen: 'presets', wide: '/presets/haiku?version=2&against=1', shows: 'in use' },
]

for (const { screen, wide, narrow = wide, shows, does } of pictures) {
  if (named.length > 0 && !named.includes(screen)) continue
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const [path, width, height] of [
      [wide, 1280, 720],
      [narrow, 390, 844],
    ] as const) {
      await using watched = await signedInPage(browser, world.service, path, {
        colorScheme,
        viewport: { width, height },
      })
      await does?.(watched.page)
      await watched.page.getByText(shows).filter({ visible: true }).first().waitFor()
      await watched.page.waitForLoadState('networkidle', { timeout: 3_000 }).catch(() => {})
      await watched.page.screenshot({ path: `${folder}/${screen}-${width}-${colorScheme}.jpg`, type: 'jpeg', quality })
    }
  }
}
process.exit(0)

/** One that wants to change a file, and another that wants to know something. @returns its id. */
async function askingIntern(service: DemoWorld['service']): Promise<string> {
  const { id } = await runningIntern(service, { agent: 'scripted' })
  await under(service, id)
  const change = { before: 'retries: 2\ntimeout: 10s\n', after: 'retries: 5\ntimeout: 10s\nbackoff: 2s\n' }
  await say(
    service,
    id,
    `say The nightly export fails now and then.\nedit deploy/export.yaml ${JSON.stringify(change)}`,
  )
  const fields = { type: 'object', properties: { environment: { type: 'string', enum: ['staging', 'production'] } } }
  await say(service, id, `ask ${JSON.stringify(fields)}`)
  return id
}

/** Puts it under rules, about which people decided otherwise once, and gives it tools. */
async function under(service: DemoWorld['service'], id: string): Promise<void> {
  for (const [command, said] of [
    ['npm test', 'allow_once'],
    ['npm test', 'allow_once'],
    ['git log --oneline', 'reject_once'],
    ['git push origin main', 'reject_once'],
    ['rm -rf build', 'allow_once'],
  ] as const)
    await answer(
      service,
      id,
      await say(service, id, `tool shell ${command}\npermission shell allow_once reject_once`),
      said,
    )
  const rules = [
    { effect: 'deny', name: 'No push.', commands: ['git push'] },
    { effect: 'deny', tools: ['edit'], paths: ['.git/**', '**/*.pem'] },
    { effect: 'ask', hosts: ['*.internal.example'] },
    { effect: 'allow', commands: ['npm test', 'git status', 'git log **'] },
  ]
  await service.ask('PUT', `/interns/${id}/rules`, { body: { rules } })
  const mcp_servers = [
    { name: 'search', command: 'npx', args: ['-y', 'search-server'], env: { TOKEN: 'demo' } },
    { name: 'tickets', url: 'https://tools.example.com/mcp', headers: { Authorization: 'Bearer demo' } },
  ]
  await service.ask('PATCH', `/interns/${id}`, { body: { mcp_servers, web_hosts: ['docs.example.com'] } })
}
