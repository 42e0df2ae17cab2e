/**
 * Every route that writes, called as the console calls it: in the session of a person. Each leaves its line in the audit
 * log with the person's name, or stands here with the reason why it does not.
 */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { isReadRoute } from '#api/access/roles.ts'
import { routes } from '#api/routes/routes.ts'
import { clientProtocols } from '#gateway/clients/client-protocols.ts'
import { knownActions } from '../../console/keys/audit/audit-actions.ts'
import { type InternChatService, startInternChatService } from '../harness/interns/intern-chat.ts'
import { createTar } from '../harness/interns/intern-files.ts'
import { untilIntern } from '../harness/interns/interns.ts'
import { type Browser, openBrowser } from '../harness/service/browser-client.ts'

const spent = 'It changes nothing but what was spent: the ledger has each request with who asked.'
const result =
  'What is said to an intern is in its session, with who said it; answers to what it asks are in the audit log.'

/** Why these leave no line by themselves, or where it is shown that they do. */
const unwritten: Record<string, string> = {
  ...Object.fromEntries(clientProtocols.map(({ operation }) => [operation.id, spent])),
  addGenerationFeedback: 'A report about an answer is stored with the request and the user.',
  countMessageTokens: 'It counts, and changes nothing.',
  chatWithIntern: result,
  createInternSessionChatCompletion: result,
  cancelInternRun: 'It needs a running turn: test/slow/interns/turns/intern-background.test.ts.',
  answerByLink: 'It is called without a session, by who holds the link: test/slow/interns/turns/answer-links.test.ts.',
  testWebhook: 'It sends what the list of deliveries has.',
  retryWebhookDelivery: 'It sends again what the list of deliveries has.',
  createToken: 'It stores nothing.',
  previewPresetVersion: 'It stores nothing.',
  releaseGenerations: 'It needs an unconfirmed charge: test/money/late-costs.test.ts.',
  createPasskeySignInOptions: 'It stores a challenge, which changes nothing for anybody.',
  createPasskeyOptions: 'It stores a challenge, which changes nothing for anybody.',
  createPasskey: 'It needs an authenticator: src/api/routes/passkeys/passkeys.test.ts.',
  updatePasskey: 'It needs an authenticator: src/api/routes/passkeys/passkeys.test.ts.',
  deletePasskey: 'It needs an authenticator: src/api/routes/passkeys/passkeys.test.ts.',
  deleteGenerationContent: 'It wants a text that was kept: src/spend/contents, test/slow/database/contents.test.ts.',
  moveIntern: 'It wants a host that is gone: test/slow/interns/lifecycle/interns-on-remote-hosts.test.ts.',
  giveUpIntern: 'It wants a host that is gone: test/slow/interns/lifecycle/interns-on-remote-hosts.test.ts.',
  moveInternHost: 'It wants a host that is gone: test/slow/interns/lifecycle/interns-on-remote-hosts.test.ts.',
  giveUpInternHost: 'It wants a host that is gone: test/slow/interns/lifecycle/interns-on-remote-hosts.test.ts.',
}

const preset = { model: 'signalbox/demo', temperature: 0.5 }
const messages = [{ role: 'user', content: 'Hi' }]

type Step = {
  action: string
  path?: Record<string, string>
  query?: string
  body?: unknown
  bytes?: () => Buffer
  keep?: string
  /** The state that the intern is in after it. */
  becomes?: string
}

/** In an order in which each can be done. `<x>` in a value is what an earlier step has kept as `x`. */
const steps: Record<string, Step> = {
  createWorkspace: { action: 'workspace.created', body: { name: 'Lab', slug: 'lab' }, keep: 'workspace' },
  updateWorkspace: { action: 'workspace.updated', path: { id: '<workspace>' }, body: { name: 'Lab 2' } },
  setWorkspaceInternRules: {
    action: 'workspace.intern_rules_changed',
    path: { id: '<workspace>' },
    body: { rules: [{ effect: 'ask' }] },
  },
  deleteWorkspaceContents: { action: 'workspace.contents_deleted', path: { id: '<workspace>' } },
  setWorkspaceBudget: {
    action: 'budget.created',
    path: { id: '<workspace>', interval: 'daily' },
    body: { limit_usd: 5 },
  },
  deleteWorkspaceBudget: { action: 'budget.deleted', path: { id: '<workspace>', interval: 'daily' } },
  setOrganizationBudget: { action: 'budget.created', path: { interval: 'monthly' }, body: { limit_usd: 50 } },
  deleteOrganizationBudget: { action: 'budget.deleted', path: { interval: 'monthly' } },
  deleteWorkspace: { action: 'workspace.deleted', path: { id: '<workspace>' } },
  createKey: { action: 'key.created', body: { name: 'mine' }, keep: 'key' },
  updateKey: { action: 'key.updated', path: { hash: '<key>' }, body: { name: 'ours' } },
  setKeyThresholds: { action: 'key.updated', path: { hash: '<key>' }, body: { thresholds: [90] } },
  addOrganizationMember: {
    action: 'member.joined',
    body: { email: 'eve@example.com', name: 'Eve', access: 'developer' },
    keep: 'member',
  },
  updateOrganizationMember: { action: 'member.updated', path: { user_id: '<member>' }, body: { access: 'viewer' } },
  bulkAddWorkspaceMembers: {
    action: 'workspace.member_updated',
    path: { id: 'default' },
    body: { user_ids: ['<member>'], access: 'developer' },
  },
  bulkRemoveWorkspaceMembers: {
    action: 'workspace.member_removed',
    path: { id: 'default' },
    body: { user_ids: ['<member>'] },
  },
  createGuardrail: { action: 'guardrail.created', body: { name: 'House rules' }, keep: 'guardrail' },
  updateGuardrail: { action: 'guardrail.updated', path: { id: '<guardrail>' }, body: { name: 'Rules' } },
  setGuardrailThresholds: { action: 'guardrail.updated', path: { id: '<guardrail>' }, body: { thresholds: [90] } },
  assignKeys: { action: 'assignment.created', path: { id: '<guardrail>' }, body: { key_hashes: ['<key>'] } },
  unassignKeys: { action: 'assignment.deleted', path: { id: '<guardrail>' }, body: { key_hashes: ['<key>'] } },
  assignMembers: { action: 'assignment.created', path: { id: '<guardrail>' }, body: { member_user_ids: ['<member>'] } },
  unassignMembers: {
    action: 'assignment.deleted',
    path: { id: '<guardrail>' },
    body: { member_user_ids: ['<member>'] },
  },
  deleteGuardrail: { action: 'guardrail.deleted', path: { id: '<guardrail>' } },
  deleteKey: { action: 'key.deleted', path: { hash: '<key>' } },
  savePresetFromChat: { action: 'preset.created', path: { slug: 'one' }, body: { ...preset, messages } },
  savePresetFromResponses: { action: 'preset.version_added', path: { slug: 'one' }, body: { ...preset, input: 'Hi' } },
  savePresetFromMessages: {
    action: 'preset.version_added',
    path: { slug: 'one' },
    body: { ...preset, temperature: 0.7, max_tokens: 9, messages },
  },
  savePresetVersion: { action: 'preset.version_added', path: { slug: 'one' }, body: { chat: { ...preset, messages } } },
  updatePreset: { action: 'preset.updated', path: { slug: 'one' }, body: { name: 'The one' } },
  designatePresetVersion: { action: 'preset.version_designated', path: { slug: 'one', version: '1' } },
  createProviderKey: {
    action: 'credential.created',
    body: { provider: 'openai', key: 'sk-brought-for-few-0123456789', name: 'team' },
    keep: 'credential',
  },
  updateProviderKey: { action: 'credential.updated', path: { id: '<credential>' }, body: { name: 'all' } },
  deleteProviderKey: { action: 'credential.deleted', path: { id: '<credential>' } },
  createWebhook: { action: 'webhook.created', body: { url: 'https://hooks.example.com/for-few' }, keep: 'webhook' },
  updateWebhook: { action: 'webhook.updated', path: { webhookId: '<webhook>' }, body: { enabled: false } },
  rotateWebhookSecret: { action: 'webhook.secret_rotated', path: { webhookId: '<webhook>' }, body: {} },
  deleteWebhook: { action: 'webhook.deleted', path: { webhookId: '<webhook>' } },
  reloadCatalogue: { action: 'catalogue.reloaded' },
  createIntern: {
    action: 'intern.created',
    body: { name: 'bob', agent: 'scripted', instructions: 'for-few', provision: true },
    keep: 'intern',
    becomes: 'running',
  },
  updateIntern: { action: 'intern.updated', path: { internId: '<intern>' }, body: { name: 'bert' } },
  setInternRules: {
    action: 'intern.rules_changed',
    path: { internId: '<intern>' },
    body: { rules: [{ effect: 'ask' }] },
  },
  createInternFolder: { action: 'intern.folder_made', path: { internId: '<intern>' }, body: { path: 'notes' } },
  renameInternFile: {
    action: 'intern.file_renamed',
    path: { internId: '<intern>' },
    body: { from: 'notes', to: 'papers' },
  },
  deleteInternFile: { action: 'intern.file_deleted', path: { internId: '<intern>' }, query: '?path=papers' },
  writeInternFile: {
    action: 'intern.file_written',
    path: { internId: '<intern>' },
    query: '?path=a.txt',
    bytes: () => Buffer.from('a'),
  },
  writeInternArchive: {
    action: 'intern.files_unpacked',
    path: { internId: '<intern>' },
    bytes: () => createTar((folder) => writeFileSync(join(folder, 'b.txt'), 'b')),
  },
  suspendIntern: { action: 'intern.suspended', path: { internId: '<intern>' }, becomes: 'stopped' },
  provisionIntern: { action: 'intern.provisioned', path: { internId: '<intern>' }, becomes: 'running' },
  deleteIntern: { action: 'intern.deleted', path: { internId: '<intern>' } },
  createSignInLink: { action: 'session.link_made', body: { user_id: '<member>' } },
  updateOrganization: { action: 'organization.updated', body: { interns_programme: false } },
  removeOrganizationMember: { action: 'member.left', path: { user_id: '<member>' } },
  createSession: { action: 'session.started', body: { link: '<link>' }, keep: 'session' },
  deleteSession: { action: 'session.ended', path: { id: '<session>' } },
  deleteCurrentSession: { action: 'session.ended' },
}

const writing = routes.filter((route) => !isReadRoute(route))

test('each writing route is called here or listed with a reason', () => {
  const names = [...Object.keys(steps), ...Object.keys(unwritten)]
  assert.deepEqual(names.toSorted(), writing.map(({ operationId }) => operationId!).toSorted())
})

test('the console has a label for each audit action', () => {
  const wordless = Object.values(steps).filter(({ action }) => !knownActions.includes(action))
  assert.deepEqual(wordless, [])
})

let talk: InternChatService
before(async () => {
  talk = await startInternChatService()
})
after(() => talk?.[Symbol.asyncDispose]())

const stored = new Map<string, string>()
const filled = (text: string) => text.replace(/<(\w+)>/g, (_, name) => stored.get(name) ?? `no ${name}`)

async function write(browser: Browser, operationId: string) {
  const { path = {}, query = '', body, bytes, keep } = steps[operationId]!
  const route = writing.find((one) => one.operationId === operationId)!
  const where = route.path.replace(/\{(\w+)\}/g, (_, name) => filled(path[name] ?? `no ${name}`))
  const origin = new URL(talk.url).origin
  const own = { cookie: browser.cookie, 'x-csrf-token': browser.session.csrf_token }
  // A sign-in has no session yet.
  const headers = { origin, ...(operationId !== 'createSession' && own) }
  const type = bytes ? 'application/octet-stream' : 'application/json'
  const response = await fetch(talk.url + where + query, {
    method: route.method.toUpperCase(),
    headers: { ...headers, ...((bytes || body !== undefined) && { 'content-type': type }) },
    ...(bytes ? { body: new Uint8Array(bytes()) } : body !== undefined && { body: filled(JSON.stringify(body)) }),
  })
  const text = await response.text()
  assert.ok(response.ok, `${operationId}: ${response.status} ${text}`)
  if (!keep) return
  const created = JSON.parse(text)
  const { id, hash, user_id } = { ...created, ...created.data }
  stored.set(keep, hash ?? id ?? user_id)
}

test("every write of a session is in the audit log with the member's name", async () => {
  const member = { email: 'olga@example.com', name: 'Olga', access: 'owner' }
  const { id } = (await talk.manage('POST', '/organization/members', member)).body.data
  const link = async () => (await talk.manage('POST', '/sessions/links', { user_id: id })).body.data.token
  const browser = await openBrowser(talk, { link: await link() })
  const auditEvents = async () => (await talk.manage('GET', '/audit?limit=20')).body.data
  for (const [operationId, { action, becomes }] of Object.entries(steps)) {
    if (operationId === 'createSession') stored.set('link', await link())
    const before = new Set((await auditEvents()).map((event: any) => event.id))
    await write(browser, operationId)
    const written = (await auditEvents()).filter((event: any) => !before.has(event.id) && event.action === action)
    assert.deepEqual([...new Set(written.map(({ actor }: any) => actor.user_name))], ['Olga'], operationId)
    if (becomes) await untilIntern(browser, stored.get('intern')!, becomes)
  }
  const all = (await talk.manage('GET', '/audit?limit=100')).text
  assert.ok(all.includes('webhook.created') && all.includes('intern.created'))
  assert.equal(
    all.includes('for-few'),
    false,
    'the audit log shows what the routes of its objects refuse to the reader',
  )
})
