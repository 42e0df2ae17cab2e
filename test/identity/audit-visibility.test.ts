/** The audit log shows nothing that the routes of its objects refuse to the reader. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { routes } from '#api/routes/routes.ts'
import { type Browser, openBrowser } from '../harness/service/browser-client.ts'
import { startTestService, type TestService } from '../harness/service/service.ts'

let service: TestService
let viewer: Browser
before(async () => {
  service = await startTestService({ settings: { allow_custom_agents: 'true' as never } })
  const member = { email: 'vera@example.com', name: 'Vera', access: 'viewer' }
  const { id } = (await service.manage('POST', '/organization/members', member)).body.data
  viewer = await openBrowser(service, {
    link: (await service.manage('POST', '/sessions/links', { user_id: id })).body.data.token,
  })
})
after(() => service?.[Symbol.asyncDispose]())

const secret = 'not-for-viewers'
const secretUrl = `https://hooks.example.com/services/${secret}?token=${secret}`

async function trailOf(reader: 'viewer' | 'creator', kind: string): Promise<any[]> {
  const path = `/audit?target_kind=${kind}&limit=100`
  if (reader === 'creator') return (await service.manage('GET', path)).body.data
  const response = await fetch(service.url + path, { headers: { cookie: viewer.cookie } })
  assert.equal(response.status, 200)
  return ((await response.json()) as { data: any[] }).data
}

test('the audit log shows the origin of a webhook and nothing else of its URL', async () => {
  const { id } = (await service.manage('POST', '/webhooks', { url: secretUrl })).body.data
  await service.manage('PATCH', `/webhooks/${id}`, { url: `${secretUrl}2` })
  await service.manage('POST', `/webhooks/${id}/rotate-secret`, {})
  await service.manage('DELETE', `/webhooks/${id}`)
  for (const reader of ['viewer', 'creator'] as const) {
    const events = await trailOf(reader, 'webhook')
    assert.ok(events.length >= 3, String(events.length))
    assert.equal(JSON.stringify(events).includes(secret), false)
    assert.equal(events[0].target.name, 'https://hooks.example.com')
  }
})

test('the audit log shows the contents of a private intern to its creator only', async () => {
  const contents = {
    description: secret,
    instructions: secret,
    agent: { command: 'node', args: [secret] },
    repository: { url: `https://example.com/${secret}.git` },
    mcp_servers: [{ name: 'tools', url: `https://example.com/${secret}` }],
    web_hosts: [`${secret}.example.com`],
  }
  const created = await service.ask('POST', '/interns', { body: { name: 'ida', ...contents } })
  assert.equal(created.status, 201, created.text)
  await service.ask('PATCH', '/interns/ida', { body: { instructions: `${secret} 2` } })
  await service.ask('DELETE', '/interns/ida')
  const seen = await trailOf('viewer', 'intern')
  assert.ok(seen.length >= 3, String(seen.length))
  assert.equal(JSON.stringify(seen).includes(secret), false)
  assert.equal(seen[0].before.instructions, '[withheld]')
  const own = JSON.stringify(await trailOf('creator', 'intern'))
  assert.equal(own.split(secret).length - 1 > Object.keys(contents).length, true)
})

test('the audit log shows the contents of an intern that its workspace can use', async () => {
  const body = { name: 'pia', visibility: 'workspace', instructions: 'Be brief.' }
  assert.equal((await service.ask('POST', '/interns', { body })).status, 201)
  const [created] = await trailOf('viewer', 'intern')
  assert.equal(created.after.instructions, 'Be brief.')
})

test('a viewer sees no webhook URL, credential or private intern on any route', async () => {
  const webhook = (await service.manage('POST', '/webhooks', { url: secretUrl })).body.data
  const slack = { url: `https://hooks.slack.com/services/T/B/${secret}`, format: 'slack' }
  const credential = { provider: 'openai', name: 'k', key: `sk-${secret}-abcdefghijklmnop` }
  const created = [
    webhook.id,
    (await service.manage('POST', '/webhooks', slack)).body.data.id,
    (await service.manage('POST', '/byok', credential)).body.data.id,
    (await service.ask('POST', '/interns', { body: { name: 'eva', visibility: 'creator', instructions: secret } })).body
      .id,
  ]
  let responses = 0
  for (const { method, path, events, downloads } of Object.values(routes)) {
    if (method !== 'get' || events || downloads) continue
    for (const id of path.includes('{') ? created : ['']) {
      for (const query of ['', '?limit=100', `?q=${secret}`]) {
        const url = service.url + path.replace(/\{[^}]+\}/g, id) + query
        const response = await fetch(url, { headers: { cookie: viewer.cookie } })
        const text = (await response.text()).replaceAll(`q=${secret}`, '')
        assert.equal(text.includes(secret), false, url)
        if (response.status === 200) responses++
      }
    }
  }
  assert.ok(responses > 50, `${responses} answers`)
})
