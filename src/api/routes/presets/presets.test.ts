import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, test } from 'node:test'
import { openDb } from '#platform/db/open.ts'
import { onEachDatabase } from '#test/harness/database/databases.ts'
import { addOrganization } from '#test/harness/database/organizations.ts'
import { startTestService, type TestService } from '#test/harness/service/service.ts'

onEachDatabase('presets', (kind) => {
  let service: TestService
  let clock = Date.parse('2026-11-01T12:00:00Z')
  before(async () => {
    service = await startTestService({ kind, now: () => clock })
  })
  after(() => service[Symbol.asyncDispose]())
  const save = (slug: string, body: unknown = {}) => service.manage('POST', `/presets/${slug}/responses`, body)
  const get = async (path: string) => (await service.manage('GET', `/presets/${path}`)).body.data

  test('a first save creates an active preset named like its slug, with version 1', async () => {
    const { status, body } = await save('first', { model: 'a/b', instructions: 'Be brief.' })
    const { designated_version: version, ...preset } = body.data
    assert.equal(status, 200)
    assert.deepEqual(
      [preset.name, preset.slug, preset.description, preset.status, preset.status_updated_at],
      ['first', 'first', null, 'active', null],
    )
    assert.deepEqual([version.version, version.system_prompt, version.config], [1, 'Be brief.', { model: 'a/b' }])
    assert.deepEqual([version.id, version.preset_id], [preset.designated_version_id, preset.id])
    assert.deepEqual([preset.created_at, version.created_at], ['2026-11-01T12:00:00.000Z', '2026-11-01T12:00:00.000Z'])
  })

  test('every save creates and selects the next version, also with the same body', async () => {
    for (const expected of [1, 2, 3]) {
      const { body } = await save('again', { model: 'a/b' })
      assert.equal(body.data.designated_version.version, expected)
    }
    assert.equal((await get('again')).designated_version.version, 3)
    assert.deepEqual(
      (await get('again/versions')).map((v: any) => v.version),
      [1, 2, 3],
    )
  })

  test('twenty saves at once make versions 1 to 20, and the last is the designated one', async () => {
    const replies = await Promise.all(Array.from({ length: 20 }, (_, n) => save('busy', { model: `a/${n}` })))
    const versions = replies.map(({ body }) => body.data.designated_version)
    assert.deepEqual(
      versions.map((v) => v.version).sort((a, b) => a - b),
      [...Array(20).keys()].map((n) => n + 1),
    )
    assert.equal(new Set(versions.map((v) => v.config.model)).size, 20)
    assert.deepEqual(await get('busy/versions/20'), (await get('busy')).designated_version)
    assert.equal((await get('busy/versions')).length, 20)
  })

  test('saves over two servers are numbered in one row', {
    skip: kind === 'sqlite' ? 'the embedded database has one server' : false,
  }, async () => {
    await using second = await startTestService({ kind, testStore: service.testStore, now: () => clock })
    const saves = Array.from({ length: 10 }, () => [service, second]).flat()
    const replies = await Promise.all(saves.map((server) => server.manage('POST', '/presets/shared/responses', {})))
    const numbers = replies.map(({ body }) => body.data.designated_version.version).sort((a, b) => a - b)
    assert.deepEqual(
      numbers,
      [...Array(20).keys()].map((n) => n + 1),
    )
    assert.equal((await get('shared')).designated_version.version, 20)
  })

  const saveVersion = (slug: string, body: unknown) => service.manage('POST', `/presets/${slug}/versions`, body)

  test('a saved version is not used until it is designated', async () => {
    await save('kept', { model: 'a/1', models: ['a/2'], temperature: 0.5 })
    const { body } = await saveVersion('kept', { responses: { model: 'b/1', input: 'Hi', user: 'me' } })
    assert.deepEqual(
      [body.data.version, body.data.config, body.data.is_designated, body.data.skipped_fields],
      [2, { model: 'b/1' }, false, ['input', 'user']],
    )
    assert.equal((await get('kept')).designated_version.version, 1)
    await service.manage('POST', '/presets/kept/versions/2/designate')
    assert.deepEqual((await get('kept')).designated_version.config, { model: 'b/1' })
  })

  test('a version saved from a request with a preset keeps its configuration', async () => {
    const tool = (name: string) => ({ type: 'function', name, parameters: {} })
    await save('base', {
      model: 'a/1',
      models: ['a/2'],
      temperature: 0.5,
      instructions: 'Be brief.',
      tools: [tool('x')],
    })
    await save('base', { model: 'a/9' })
    const chat = {
      model: '@preset/base@1',
      temperature: 0.1,
      tools: [{ type: 'function', function: { name: 'y', parameters: {} } }],
      messages: [
        { role: 'system', content: 'Be kind.' },
        { role: 'user', content: 'Hi' },
      ],
    }
    const { data } = (await saveVersion('base', { chat })).body
    assert.equal(data.system_prompt, 'Be brief.\n\nBe kind.')
    assert.deepEqual(data.config, { model: 'a/1', models: ['a/2'], temperature: 0.1, tools: [tool('x'), tool('y')] })
    assert.deepEqual(data.skipped_fields, ['messages'])
    const other = (await saveVersion('base', { messages: { model: 'c/1@preset/base', max_tokens: 9 } })).body
    assert.deepEqual(other.data.config, { model: 'c/1', max_output_tokens: 9 })
  })

  test('the first version of a new preset is the one in use', async () => {
    const { data } = (await saveVersion('fresh', { chat: { model: 'a/1' } })).body
    assert.deepEqual([data.version, data.is_designated, data.skipped_fields], [1, true, []])
    assert.equal((await get('fresh')).designated_version_id, data.id)
  })

  test('a version saved from no request, two, or a missing preset is refused', async () => {
    for (const body of [{}, { chat: {}, responses: {} }]) {
      const refused = await saveVersion('refused', body)
      assert.equal(refused.status, 400)
      assert.match(refused.body.error.message, /exactly one of responses, chat, messages and settings is required/)
    }
    assert.equal((await saveVersion('refused', { chat: { model: '@preset/nowhere' } })).status, 404)
    assert.equal((await service.manage('GET', '/presets/refused')).status, 404)
  })

  test('the audit log names a version that was saved without being used', async () => {
    const { body } = await save('trailed')
    const saved = (await saveVersion('trailed', { responses: {} })).body.data
    const { data } = (await service.manage('GET', `/audit?target_id=${body.data.id}`)).body
    const { after } = data.find((event: any) => event.action === 'preset.version_added')
    assert.deepEqual(after.saved_version, { id: saved.id, version: 2 })
    assert.equal(after.designated_version.version, 1)
  })

  test('an older version can be selected; the next save still gets the next number', async () => {
    await save('back', { model: 'a/1' })
    await save('back', { model: 'a/2' })
    const { body } = await service.manage('POST', '/presets/back/versions/1/designate')
    assert.deepEqual(body.data.designated_version.config, { model: 'a/1' })
    assert.equal((await get('back')).designated_version_id, body.data.designated_version.id)
    assert.equal((await save('back')).body.data.designated_version.version, 3)
  })

  test('a changed status is dated; a new version does not change it', async () => {
    await save('off')
    clock += 1000
    const { body } = await service.manage('PATCH', '/presets/off', { status: 'disabled' })
    assert.deepEqual([body.data.status, body.data.status_updated_at], ['disabled', new Date(clock).toISOString()])
    clock += 1000
    assert.equal((await save('off')).body.data.status, 'disabled')
    const named = await service.manage('PATCH', '/presets/off', { name: 'Off', description: 'Not now.' })
    assert.deepEqual([named.body.data.name, named.body.data.description], ['Off', 'Not now.'])
    assert.equal(named.body.data.status_updated_at, body.data.status_updated_at)
    const archived = await service.manage('PATCH', '/presets/off', { status: 'archived', description: null })
    assert.deepEqual([archived.body.data.status, archived.body.data.description], ['archived', null])
  })

  test('each request can name the workspace of the preset', async () => {
    const slug = `lab-${kind}`
    const { id } = (await service.manage('POST', '/workspaces', { name: slug, slug })).body.data
    const ask = async (method: 'GET' | 'POST' | 'PATCH', path: string, body?: object) => {
      const response = await service.manage(method, `/presets/theirs${path}?workspace_id=${slug}`, body)
      assert.equal(response.status, 200, `${path} ${response.text}`)
      return response.body.data
    }
    assert.equal((await ask('POST', '/chat/completions', { model: 'a/1' })).workspace_id, id)
    await ask('POST', '/messages', { model: 'a/2', max_tokens: 9 })
    await ask('POST', '/versions', { responses: { model: 'a/3' } })
    const { config } = await ask('POST', '/preview', { chat: { model: '@preset/theirs' } })
    assert.equal(config.model, 'a/2')
    assert.equal((await ask('GET', '/versions')).length, 3)
    assert.equal((await ask('GET', '/versions/3')).config.model, 'a/3')
    assert.equal((await ask('POST', '/versions/1/designate')).designated_version.version, 1)
    assert.equal((await ask('PATCH', '', { name: 'Theirs' })).workspace_id, id)
    assert.equal((await service.manage('GET', '/presets/theirs')).status, 404)
    assert.equal((await service.manage('PATCH', '/presets/theirs?workspace=x', {})).status, 400)
  })

  test('a change that changes nothing leaves no trace', async () => {
    const { body } = await save('same')
    clock += 1000
    for (const patch of [{}, { status: 'active', name: 'same', description: null }]) {
      assert.deepEqual((await service.manage('PATCH', '/presets/same', patch)).body.data, body.data)
    }
    assert.deepEqual((await service.manage('POST', '/presets/same/versions/1/designate')).body.data, body.data)
    const auditEvents = await service.manage('GET', `/audit?target_id=${body.data.id}`)
    assert.equal(auditEvents.body.total_count, 1)
  })

  test('every change is in the audit log, with the state before and after', async () => {
    const { body } = await save('audited', { instructions: 'One.' })
    clock += 1000
    await save('audited')
    clock += 1000
    await service.manage('PATCH', '/presets/audited', { status: 'disabled' })
    clock += 1000
    await service.manage('POST', '/presets/audited/versions/1/designate')
    const { data } = (await service.manage('GET', `/audit?target_id=${body.data.id}`)).body
    assert.deepEqual(
      data
        .reverse()
        .map((event: any) => [
          event.action,
          event.before?.designated_version.version,
          event.after.designated_version.version,
          event.after.status,
        ]),
      [
        ['preset.created', undefined, 1, 'active'],
        ['preset.version_added', 1, 2, 'active'],
        ['preset.updated', 2, 2, 'disabled'],
        ['preset.version_designated', 2, 1, 'disabled'],
      ],
    )
  })

  test('the list is paged, the most recently changed first', async () => {
    clock += 1000
    await save('list-a')
    clock += 1000
    await save('list-b')
    clock += 1000
    await save('list-a')
    const { body } = await service.manage('GET', '/presets?limit=2')
    assert.deepEqual(
      body.data.map((preset: any) => preset.slug),
      ['list-a', 'list-b'],
    )
    const rest = await service.manage('GET', '/presets?offset=2&limit=100')
    assert.equal(rest.body.data.length, body.total_count - 2)
    const versions = await service.manage('GET', '/presets/list-a/versions?offset=1&limit=1')
    assert.deepEqual([versions.body.data[0].version, versions.body.total_count], [2, 2])
  })

  test('an ordinary key reads the presets of its workspace and changes none', async () => {
    await save('readable')
    for (const path of ['', '/readable', '/readable/versions', '/readable/versions/1']) {
      assert.equal((await service.ask('GET', `/presets${path}`)).status, 200)
    }
    for (const [method, path] of [
      ['POST', '/presets/readable/responses'],
      ['POST', '/presets/readable/chat/completions'],
      ['POST', '/presets/readable/messages'],
      ['POST', '/presets/readable/versions'],
      ['PATCH', '/presets/readable'],
      ['POST', '/presets/readable/versions/1/designate'],
    ] as const) {
      const { status, body } = await service.ask(method, path, { body: {} })
      assert.equal(status, 403)
      assert.deepEqual(body.error, { code: 403, message: 'Only management keys can perform this operation' })
    }
  })

  test("another organization's preset answers exactly like one that does not exist", async () => {
    await save('private', { instructions: 'Secret.' })
    const other = await addOrganization(service.testStore)
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/versions'],
      ['GET', '/versions/1'],
      ['PATCH', ''],
      ['POST', '/versions/1/designate'],
    ] as const) {
      const ask = (slug: string) =>
        service.ask(method, `/presets/${slug}${path}`, {
          key: other.managementKey,
          ...(method === 'PATCH' && { body: {} }),
        })
      const [existing, missing] = [await ask('private'), await ask('nothing')]
      assert.deepEqual([existing.status, existing.text], [404, missing.text.replace('nothing', 'private')])
    }
    assert.equal((await service.ask('GET', '/presets', { key: other.apiKey })).body.total_count, 0)
    const { body } = await service.ask('POST', '/presets/private/responses', { key: other.managementKey, body: {} })
    assert.equal(body.data.designated_version.version, 1)
    assert.equal((await get('private')).designated_version.system_prompt, 'Secret.')
  })

  test('a request that waits too long for another writer gets 409', {
    skip: kind === 'sqlite' ? 'the embedded database has no second writer' : false,
  }, async () => {
    const { body } = await save('held')
    const db = await openDb(service.testStore.settings)
    const [entered, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const held = db.exclusively(`preset:${body.data.workspace_id}/held`, async () => {
      entered.resolve()
      await released.promise
    })
    await entered.promise
    const { status, body: refusal } = await save('held', { model: 'a/b' })
    released.resolve()
    await held
    await db.close()
    assert.deepEqual([status, refusal.error.code], [409, 409])
    assert.match(refusal.error.message, /try again later/)
    assert.equal((await get('held')).designated_version.version, 1)
  })
})

describe('requests about presets that are refused', () => {
  let service: TestService
  before(async () => {
    service = await startTestService()
    await service.manage('POST', '/presets/known/responses', {})
  })
  after(() => service[Symbol.asyncDispose]())

  test('a slug has 1 to 64 of a-z 0-9 - _ and starts with a letter or digit', async () => {
    for (const slug of ['a', '0', 'a-b_c9', 'x'.repeat(64)]) {
      assert.equal((await service.manage('POST', `/presets/${slug}/responses`, {})).status, 200, slug)
    }
    for (const slug of ['', 'x'.repeat(65), 'A', '-a', '_a', 'a.b', 'a b', 'é', 'a/b', '\0', 'x'.repeat(2000)]) {
      const { status } = await service.manage('POST', `/presets/${encodeURIComponent(slug)}/responses`, {})
      assert.equal(status, 400, slug)
    }
    assert.equal((await service.manage('GET', '/presets/Known')).status, 400)
  })

  test('without a valid key everything is 401', async () => {
    for (const [method, path] of [
      ['GET', '/presets'],
      ['GET', '/presets/known'],
      ['POST', '/presets/known/responses'],
      ['PATCH', '/presets/known'],
    ] as const) {
      for (const key of [null, 'sb-v1-no', `sb-v1-${'0'.repeat(64)}`]) {
        assert.equal((await service.ask(method, path, { key, ...(method !== 'GET' && { body: {} }) })).status, 401)
      }
    }
  })

  test('a body that is not declared as JSON is 400 or 415, depending on the operation', async () => {
    for (const [path, expected] of [
      ['/presets/known/responses', 400],
      ['/presets/known/chat/completions', 415],
      ['/presets/known/messages', 415],
    ] as const) {
      for (const type of ['text/plain', 'application/x-www-form-urlencoded']) {
        const headers = { 'content-type': type }
        const { status } = await service.ask('POST', path, { key: service.managementKey, body: {}, headers })
        assert.equal(status, expected, `${path} as ${type}`)
      }
    }
  })

  test('malformed JSON is 400, a body over 4 MiB 413, another method 405', async () => {
    const path = '/presets/known/responses'
    const headers = { authorization: `Bearer ${service.managementKey}`, 'content-type': 'application/json' }
    const malformed = await fetch(service.url + path, { method: 'POST', headers, body: '{"model":' })
    assert.equal(malformed.status, 400)
    const tooLarge = await service.manage('POST', path, { input: 'x'.repeat(4 * 1024 * 1024) })
    assert.equal(tooLarge.status, 413)
    const { status, headers: answered } = await service.manage('GET', path)
    assert.deepEqual([status, answered.get('allow')], [405, 'POST'])
  })

  test('a completion with an invalid preset name gets 404', async () => {
    for (const preset of ['a\0', 'a\ud800', 'A b', 'x/y']) {
      const request = { body: { preset, messages: [{ role: 'user', content: 'Hi' }] } }
      assert.equal((await service.ask('POST', '/chat/completions', request)).status, 404, JSON.stringify(preset))
    }
  })

  test('an unknown preset or version is 404, a malformed version number 400', async () => {
    for (const [path, expected] of [
      ['/presets/unknown', 404],
      ['/presets/unknown/versions', 404],
      ['/presets/unknown/versions/1', 404],
      ['/presets/known/versions/2', 404],
      ['/presets/known/versions/999999999', 404],
      ['/presets/known/versions/0', 400],
      ['/presets/known/versions/01', 400],
      ['/presets/known/versions/x', 400],
      ['/presets?limit=0', 400],
      ['/presets?limit=101', 400],
      ['/presets?offset=-1', 400],
    ] as const) {
      assert.equal((await service.manage('GET', path)).status, expected, path)
    }
  })

  test('name, description and status have their limits', async () => {
    const change = async (patch: object) => (await service.manage('PATCH', '/presets/known', patch)).status
    for (const patch of [
      { name: 'x' },
      { name: '😀'.repeat(200) },
      { description: '' },
      { description: '😀'.repeat(1000) },
      { description: null },
      { status: 'archived' },
      { status: 'active' },
    ]) {
      assert.equal(await change(patch), 200)
    }
    for (const patch of [
      { name: '' },
      { name: 'x'.repeat(201) },
      { name: null },
      { description: 'x'.repeat(1001) },
      { description: 'NUL \0' },
      { status: 'deleted' },
      { status: null },
    ]) {
      assert.equal(await change(patch), 400)
    }
  })

  test('an internal error is a 500 with only the request id', async () => {
    await using broken = await startTestService()
    const database = new DatabaseSync(`${broken.testStore.settings.data_dir}/signalbox.db`, { timeout: 60_000 })
    database.exec('drop table preset_versions')
    database.close()
    const { status, body, headers } = await broken.manage('POST', '/presets/known/responses', {})
    assert.equal(status, 500)
    assert.equal(
      body.error.message,
      `Internal server error. The log has it under request id ${headers.get('x-request-id')}.`,
    )
  })
})
