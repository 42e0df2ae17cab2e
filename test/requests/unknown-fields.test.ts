import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { startTestService, type TestService } from '../harness/service/service.ts'

/** A body of each management operation that takes one, but for presets', with a field that it does not know. */
const bodies: [method: 'POST' | 'PATCH' | 'DELETE', path: string, body: object, says: RegExp][] = [
  ['POST', '/keys', { name: 'n', limit_usd: 10 }, /"limit_usd" \(did you mean "limit"\?\)/],
  ['PATCH', '/keys/{key}', { limits: 10 }, /"limits" \(did you mean "limit"\?\)/],
  ['POST', '/guardrails', { name: 'n', limit: 10 }, /"limit" \(did you mean "limit_usd"\?\)/],
  [
    'POST',
    '/guardrails',
    { name: 'n', enforce_zdr_nobody: true },
    /enforce_zdr_nobody: is not the field of a configured vendor/,
  ],
  ['PATCH', '/guardrails/{guardrail}', { workspace_id: 'x' }, /unknown field "workspace_id"/],
  ['PATCH', '/guardrails/{guardrail}', { allowed_model: ['x'] }, /did you mean "allowed_models"/],
  [
    'PATCH',
    '/guardrails/{guardrail}',
    { content_filters: [{ pattern: 'x', action: 'block', labl: 'x' }] },
    /content_filters\[0\]: unknown field "labl" \(did you mean "label"\?\)/,
  ],
  ['POST', '/guardrails/{guardrail}/replay', { since: '2026-01-01T00:00:00Z' }, /unknown field "since"; it takes from/],
  ['POST', '/guardrails/{guardrail}/replay', { policy: { limit: 1 } }, /policy: unknown field "limit"/],
  ['POST', '/guardrails/{guardrail}/try', { text: 'x', texts: 'y' }, /unknown field "texts" \(did you mean "text"\?\)/],
  ['POST', '/guardrails/{guardrail}/assignments/keys', { key_hashes: ['0'.repeat(64)], keys: [] }, /"keys"/],
  ['POST', '/workspaces', { name: 'n', slug: 'n', limit: 1 }, /unknown field "limit"; it takes name, slug/],
  ['PATCH', '/workspaces/{workspace}', { default_guardrail: 'x' }, /unknown field "default_guardrail"/],
  ['PATCH', '/organization', { interns_program: false }, /did you mean "interns_programme"/],
  ['POST', '/organization/members', { email: 'a@b.example', name: 'n', rolle: 'org:admin' }, /did you mean "role"/],
  ['POST', '/byok', { provider: 'openai', key: 'k', is_fall_back: true }, /did you mean "is_fallback"/],
  ['POST', '/interns', { name: 'ada', instruction: 'x' }, /did you mean "instructions"/],
  ['PATCH', '/interns/{intern}', { approvalMode: 'manual' }, /did you mean "approval_mode"/],
  ['DELETE', '/interns/{intern}', { force: true }, /unknown field "force"; it takes acknowledge_workspace_loss/],
  ['POST', '/interns/{intern}/provision', { now: true }, /unknown field "now"; it takes no fields/],
  ['POST', '/interns/{intern}/move', { host: 'b', hosts: 'b' }, /unknown field "hosts" \(did you mean "host"\?\)/],
  ['POST', '/interns/{intern}/files/folders', { paths: 'a' }, /unknown field "paths" \(did you mean "path"\?\)/],
  ['POST', '/sessions', { token: 'x' }, /the body must be an object with one of key, link and passkey/],
  ['POST', '/presets/p/versions', { respones: {} }, /unknown field "respones" \(did you mean "responses"\?\)/],
  ['PATCH', '/presets/p', { state: 'active' }, /unknown field "state"/],
]

describe('an unknown field of a management body', () => {
  let service: TestService
  const ids: { [name: string]: string } = {}
  before(async () => {
    service = await startTestService()
    const createObject = async (path: string, body: object) => (await service.manage('POST', path, body)).body.data
    ids.key = (await createObject('/keys', { name: 'n' })).hash
    ids.guardrail = (await createObject('/guardrails', { name: 'g' })).id
    ids.workspace = (await createObject('/workspaces', { name: 'w', slug: 'w' })).id
    ids.intern = (await service.ask('POST', '/interns', { body: { name: 'eve' } })).body.id
    await service.manage('POST', '/presets/p/chat/completions', { model: 'signalbox/demo', messages: [], made_up: 1 })
  })
  after(() => service[Symbol.asyncDispose]())

  for (const [method, path, body, says] of bodies) {
    test(`${method} ${path} ${JSON.stringify(body).slice(0, 60)} is refused with a suggestion`, async () => {
      const at = path.replace(/\{(\w+)\}/g, (_, name) => ids[name]!)
      const call = path.startsWith('/interns') ? service.ask(method, at, { body }) : service.manage(method, at, body)
      const { status, body: response, text } = await call
      assert.equal(status, 400, text)
      assert.match(response.error.message, says)
    })
  }

  test('the API’s description forbids unknown fields for each of them', async () => {
    const { body } = await service.ask('GET', '/openapi.json')
    const named = [
      'NewKey',
      'KeyPatch',
      'NewGuardrail',
      'GuardrailPatch',
      'NewWorkspace',
      'WorkspacePatch',
      'NewMember',
    ]
    for (const name of [...named, 'MemberPatch', 'NewIntern', 'InternPatch', 'PresetPatch', 'OrganizationPatch'])
      assert.equal(body.components.schemas[name].additionalProperties, false, name)
  })
})
