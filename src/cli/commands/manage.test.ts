import assert from 'node:assert/strict'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { metered } from '#test/harness/metered.ts'
import { startTestService, type TestService } from '#test/harness/service.ts'
import { runCli } from '../cli.ts'
import { fieldsFrom } from '../kit/fields.ts'

describe('what is managed at the terminal', () => {
  let service: TestService
  before(async () => {
    service = await startTestService()
  })
  after(() => service[Symbol.asyncDispose]())

  const providerKey: { PROVIDER_KEY?: string } = {}

  async function run(...args: string[]) {
    const out: string[] = []
    const env = { SIGNALBOX_URL: service.url, SIGNALBOX_KEY: service.managementKey, ...providerKey }
    const code = await runCli(args, { env, out: (text) => void out.push(text), err: (text) => void out.push(text) })
    return { code, out: out.join('\n') }
  }
  const done = async (...args: string[]) => {
    const { code, out } = await run(...args)
    assert.equal(code, 0, out)
    return out
  }
  const refused = async (...args: string[]) => {
    const { code, out } = await run(...args)
    assert.equal(code, 1, out)
    return out
  }
  const file = (body: string) => {
    const path = join(mkdtempSync(join(tmpdir(), 'signalbox-cli-')), 'body.json')
    writeFileSync(path, body)
    return path
  }
  const ask = async (model: string) => {
    const body = { model, messages: [{ role: 'user', content: 'Hi' }] }
    return service.ask('POST', '/chat/completions', { body })
  }

  test('workspaces are made, changed, listed and deleted', async () => {
    assert.match(
      await done('workspaces', 'create', 'research', 'Research', '--description', 'Papers'),
      /slug +research/,
    )
    assert.match(
      await done('workspaces', 'set', 'research', 'name=R & D', 'is_observability_io_logging_enabled=true'),
      /name +R & D/,
    )
    assert.match(await done('workspaces', 'list'), /^research +R & D +kept /m)
    assert.equal(JSON.parse(await done('workspaces', 'show', 'research', '--json')).description, 'Papers')
    assert.match(await refused('workspaces', 'set', 'research', 'nmae=x'), /400.*nmae/)
    assert.match(await refused('workspaces', 'set', 'research', 'name'), /"name" is no field: write name=value/)
    await done('workspaces', 'delete', 'research')
    assert.doesNotMatch(await done('workspaces', 'list'), /research/)
  })

  test('rules of a guardrail are set by name, tried on the past, and taken away', async () => {
    const { headers } = await ask('signalbox/demo')
    await metered(service, headers.get('x-generation-id'))
    const [{ id: workspace }] = JSON.parse(await done('workspaces', 'list', '--json'))
    const all = `default:${workspace}`
    const rules = ['allowed_models=signalbox/demo', 'limit_usd=50', 'reset_interval=monthly', 'enforce_zdr_xai=true']
    const set = JSON.parse(await done('guardrails', 'set', all, ...rules, '--json'))
    assert.equal(set.limit_usd, 50)
    assert.match(set.allowed_models[0], /^signalbox\/demo/)
    assert.equal(set.enforce_zdr_xai, true)
    assert.match(await done('guardrails', 'list'), /all of it +\$50 monthly +\$0\.000000 +allowed_models/)
    const shown = await done('guardrails', 'show', set.name)
    assert.match(shown, /^limit_usd +50$/m)
    assert.doesNotMatch(shown, /ignored_models/)
    const tried = await done('guardrails', 'replay', all, 'ignored_models=signalbox/demo', 'allowed_models=null')
    assert.match(tried, /It would refuse 1, /)
    assert.match(tried, /^ignored_models +refuse +1 /m)
    assert.match(
      await done('guardrails', 'set', all, '--file', file('{"limit_usd": null, "reset_interval": null}')),
      /name/,
    )
    assert.equal(JSON.parse(await done('guardrails', 'show', all, '--json')).limit_usd, null)
  })

  test('a guardrail is made and deleted; what is wrong with a rule is told', async () => {
    const { id } = JSON.parse(await done('guardrails', 'create', 'Interns', 'limit_usd=1', '--json'))
    assert.match(await refused('guardrails', 'set', 'Interns', 'limit=1'), /limit_usd/)
    assert.match(await refused('guardrails', 'set', 'Interns'), /Name what is to change/)
    assert.match(await refused('guardrails', 'set', 'Interns', '--file', file('[]')), /must hold a JSON object/)
    assert.match(await refused('guardrails', 'show', 'Nobody'), /There is no guardrail "Nobody"/)
    await done('workspaces', 'create', 'other', 'Other')
    assert.match(await refused('guardrails', 'show', 'default:other'), /Nothing is set for all of this workspace yet/)
    await done('guardrails', 'create', 'Interns', '--workspace', 'other')
    assert.match(await refused('guardrails', 'show', 'Interns'), /2 guardrails are named "Interns"/)
    await done('guardrails', 'delete', id)
    assert.match(await done('guardrails', 'show', 'Interns'), /^name +Interns$/m)
  })

  test('--help of an unknown command is an error, not the help of all commands', async () => {
    assert.match(await refused('keyz', '--help'), /^error: unknown command 'keyz'\n\(Did you mean keys\?\)/)
    assert.match(await refused('keys', 'lst', '--help'), /^error: unknown command 'lst'\n\(Did you mean list\?\)/)
  })

  test('provider keys are added from a variable, listed without the key, and deleted', async () => {
    assert.match(await done('byok', '--help'), /^Usage: signalbox byok /)
    assert.match(await refused('byok', 'add', 'openai'), /Set PROVIDER_KEY to the key of the provider/)
    providerKey.PROVIDER_KEY = 'sk-brought-for-few-0123456789'
    const added = await done('byok', 'add', 'openai', '--name', 'team')
    const [, id] = /^Added (\S+) for openai\.$/.exec(added)!
    const list = await done('byok', 'list')
    assert.match(list, /openai +team /)
    assert.doesNotMatch(list, /sk-brought-for-few-0123456789/)
    assert.equal(await done('byok', 'delete', id!), `Deleted ${id}.`)
  })

  test('versions of a preset are saved, compared and switched', async () => {
    const [first, second] = ['Be brief.', 'Be long.'].map((instructions) =>
      file(JSON.stringify({ model: 'signalbox/demo', instructions, input: 'Hi' })),
    )
    assert.match(await done('presets', 'save', 'tone', first!), /Saved version 1 of "tone"/)
    assert.match(
      await done('presets', 'save', 'tone', second!),
      /Saved version 2 .* do not use it yet\. To use it: signalbox presets use tone 2\n.*no such fields: input\.$/,
    )
    assert.match(await done('presets', 'show', 'tone'), /^version +1$/m)
    const chat = file('{"model": "signalbox/demo", "messages": [{"role": "system", "content": "Be kind."}]}')
    assert.match(await done('presets', 'save', 'tone', chat, '--use'), /version 3 .* Requests use it as/)
    assert.match(await done('presets', 'show', 'tone'), /^version +3$/m)
    assert.equal(
      await done('presets', 'diff', 'tone', '1', '2'),
      '- system_prompt: "Be brief."\n+ system_prompt: "Be long."',
    )
    assert.match(await done('presets', 'use', 'tone', '1'), /uses version 1 now/)
    assert.match(await done('presets', 'versions', 'tone'), /^1 +used /m)
    assert.match(await done('presets', 'show', 'tone'), /^version +1$[\s\S]*"system_prompt": "Be brief\."/m)
    assert.match(await done('presets', 'show', 'tone', '3'), /Be kind\./)
    assert.match(await done('presets', 'set', 'tone', '--status', 'disabled'), /"tone" is disabled/)
    assert.match(await done('presets', 'list'), /^tone +tone +disabled /m)
    assert.match(await refused('presets', 'show', 'none'), /404/)
    assert.match(await refused('presets', 'set', 'tone'), /Name what is to change/)
  })

  test('requests are listed by what was wrong with them, and one is told whole', async () => {
    const answered = (await ask('signalbox/demo')).headers.get('x-generation-id')!
    const { headers } = await service.ask('POST', '/chat/completions', {
      body: { model: 'signalbox/demo', provider: { only: ['nobody'] }, messages: [{ role: 'user', content: 'Hi' }] },
    })
    const refusedId = headers.get('x-generation-id')!
    for (const id of [answered, refusedId]) await metered(service, id)
    const listed = await done('requests', 'list', '--outcome', 'refused', '--since', '1h')
    assert.match(listed, new RegExp(`${refusedId} .* refused: `))
    assert.ok(!listed.includes(answered))
    assert.equal(JSON.parse(await done('requests', 'list', '--limit', '1', '--json')).length, 1)
    const story = await done('requests', 'show', answered, '--content')
    assert.match(story, /^outcome +success$/m)
    assert.match(story, /^signalbox\/demo@signalbox +answered +\d+ ms/m)
    assert.match(story, /^total_cost_usd +0$/m)
    assert.match(story, /Nothing of it is kept\./)
    assert.match(await done('requests', 'show', refusedId), /^WHY\nkind +\w+/m)
    const nothing = await done('requests', 'list', '--member', 'eve@example.com', '--workspace', 'lab')
    assert.match(nothing, /^No member has the address "eve@example.com": .*\nThere is no workspace "lab": .*\nWHEN /)
    assert.match(await done('requests', 'list', '--member', 'OWNER@localhost', '--model', 'no/such'), /^WHEN /)
    assert.match((await run('requests', 'list', '--since', 'yesterday')).out, /It must be a time ago/)
    for (const count of ['0', '', '1.5', 'many', '0x10'])
      assert.match((await run('requests', 'list', '--limit', count)).out, /It must be a whole number, at least 1/)
  })
})

test('a field is JSON where it can be, a list where it is to be one, and text otherwise', () => {
  const isList = (name: string) => name === 'models'
  const words = ['limit=50', 'name=Ada = Grace', 'models=a/b, c/d', 'on=true', 'none=null', 'x=["y"]']
  assert.deepEqual(fieldsFrom(words, isList), {
    limit: 50,
    name: 'Ada = Grace',
    models: ['a/b', 'c/d'],
    on: true,
    none: null,
    x: ['y'],
  })
  assert.deepEqual(fieldsFrom(['models=null'], isList), { models: null })
  assert.deepEqual(fieldsFrom(['models=7'], isList), { models: [7] })
  assert.throws(() => fieldsFrom(['a=1', 'a=2']), /given twice/)
})
