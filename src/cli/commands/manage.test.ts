import assert from 'node:assert/strict'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { startTestService, type TestService } from '#test/harness/service/service.ts'
import { untilMetered } from '#test/harness/service/world/generation-record.ts'
import { runCli } from '../cli.ts'
import { parseFields } from '../kit/fields.ts'

describe('management commands', () => {
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

  test('budgets are set, listed and deleted', async () => {
    assert.match(await done('budgets', 'set', 'monthly', '50'), /monthly budget of the organization is 50 USD/)
    await done('budgets', 'set', 'daily', '5', '--workspace', 'default', '--include-byok')
    const listed = await done('budgets', 'list')
    assert.match(listed, /^organization +monthly +\$50 +\$0\.000000/m)
    assert.match(listed, /^default +daily +\$5 /m)
    assert.match(
      await refused('budgets', 'set', 'weekly', '4', '--workspace', 'default'),
      /larger than the daily budget/,
    )
    assert.match(await refused('budgets', 'set', 'weekly', 'much'), /number of US dollars/)
    await done('budgets', 'delete', 'daily', '--workspace', 'default')
    await done('budgets', 'delete', 'monthly')
    assert.doesNotMatch(await done('budgets', 'list'), /monthly|daily/)
  })

  test('workspaces create, set, list, show and delete work', async () => {
    assert.match(
      await done('workspaces', 'create', 'research', 'Research', '--description', 'Papers'),
      /slug +research/,
    )
    assert.match(
      await done('workspaces', 'set', 'research', 'name=R & D', 'is_observability_io_logging_enabled=true'),
      /name +R & D/,
    )
    assert.match(await done('workspaces', 'list'), /^research +R & D +stored /m)
    assert.equal(JSON.parse(await done('workspaces', 'show', 'research', '--json')).description, 'Papers')
    assert.match(await refused('workspaces', 'set', 'research', 'nmae=x'), /400.*nmae/)
    assert.match(await refused('workspaces', 'set', 'research', 'name'), /"name" is not a field: write name=value/)
    await done('workspaces', 'delete', 'research')
    assert.doesNotMatch(await done('workspaces', 'list'), /research/)
  })

  test('guardrails set, replay and show work for a workspace default', async () => {
    const { headers } = await ask('signalbox/demo')
    await untilMetered(service, headers.get('x-generation-id'))
    const [{ id: workspace }] = JSON.parse(await done('workspaces', 'list', '--json'))
    const all = `default:${workspace}`
    const rules = ['allowed_models=signalbox/demo', 'limit_usd=50', 'reset_interval=monthly', 'enforce_zdr_xai=true']
    const set = JSON.parse(await done('guardrails', 'set', all, ...rules, '--json'))
    assert.equal(set.limit_usd, 50)
    assert.match(set.allowed_models[0], /^signalbox\/demo/)
    assert.equal(set.enforce_zdr_xai, true)
    assert.match(await done('guardrails', 'list'), /workspace +\$50 monthly +\$0\.000000 +\$0\.000000 +allowed_models/)
    const printed = await done('guardrails', 'show', set.name)
    assert.match(printed, /^limit_usd +50$/m)
    assert.doesNotMatch(printed, /ignored_models/)
    const replayed = await done('guardrails', 'replay', all, 'ignored_models=signalbox/demo', 'allowed_models=null')
    assert.match(replayed, /The guardrail would refuse 1, /)
    assert.match(replayed, /^ignored_models +refuse +1 /m)
    assert.match(
      await done('guardrails', 'set', all, '--file', file('{"limit_usd": null, "reset_interval": null}')),
      /name/,
    )
    assert.equal(JSON.parse(await done('guardrails', 'show', all, '--json')).limit_usd, null)
  })

  test('guardrails create and delete work; invalid rules are reported', async () => {
    const { id } = JSON.parse(await done('guardrails', 'create', 'Interns', 'limit_usd=1', '--json'))
    assert.match(await refused('guardrails', 'set', 'Interns', 'limit=1'), /limit_usd/)
    assert.match(await refused('guardrails', 'set', 'Interns'), /Specify at least one/)
    assert.match(await refused('guardrails', 'set', 'Interns', '--file', file('[]')), /must contain a JSON object/)
    assert.match(await refused('guardrails', 'show', 'Nobody'), /Guardrail "Nobody" not found/)
    await done('workspaces', 'create', 'other', 'Other')
    assert.match(await refused('guardrails', 'show', 'default:other'), /This workspace has no default rules yet/)
    await done('guardrails', 'create', 'Interns', '--workspace', 'other')
    assert.match(await refused('guardrails', 'show', 'Interns'), /2 guardrails are named "Interns"/)
    await done('guardrails', 'delete', id)
    assert.match(await done('guardrails', 'show', 'Interns'), /^name +Interns$/m)
  })

  test('an unknown command with --help is an error', async () => {
    assert.match(await refused('keyz', '--help'), /^error: unknown command 'keyz'\n\(Did you mean keys\?\)/)
    assert.match(await refused('keys', 'lst', '--help'), /^error: unknown command 'lst'\n\(Did you mean list\?\)/)
  })

  test('byok add, list and delete work, and list prints no key', async () => {
    assert.match(await done('byok', '--help'), /^Usage: signalbox byok /)
    assert.match(await refused('byok', 'add', 'openai'), /Set the environment variable PROVIDER_KEY/)
    providerKey.PROVIDER_KEY = 'sk-brought-for-few-0123456789'
    const added = await done('byok', 'add', 'openai', '--name', 'team')
    const [, id] = /^Added (\S+) for openai\.$/.exec(added)!
    const list = await done('byok', 'list')
    assert.match(list, /openai +team /)
    assert.doesNotMatch(list, /sk-brought-for-few-0123456789/)
    assert.equal(await done('byok', 'delete', id!), `Deleted ${id}.`)
  })

  test('presets save, diff, use, show and set work', async () => {
    const [first, second] = ['Be brief.', 'Be long.'].map((instructions) =>
      file(JSON.stringify({ model: 'signalbox/demo', instructions, input: 'Hi' })),
    )
    assert.match(await done('presets', 'save', 'tone', first!), /Saved version 1 of "tone"/)
    assert.match(
      await done('presets', 'save', 'tone', second!),
      /Saved version 2 .* do not use it yet\. To use it: npx signalbox presets use tone 2\n.*no such fields: input\.$/,
    )
    assert.match(await done('presets', 'show', 'tone'), /^version +1$/m)
    const chat = file('{"model": "signalbox/demo", "messages": [{"role": "system", "content": "Be kind."}]}')
    assert.match(await done('presets', 'save', 'tone', chat, '--use'), /version 3 .* Requests use it as/)
    assert.match(await done('presets', 'show', 'tone'), /^version +3$/m)
    assert.equal(
      await done('presets', 'diff', 'tone', '1', '2'),
      '- system_prompt: "Be brief."\n+ system_prompt: "Be long."',
    )
    assert.match(await done('presets', 'use', 'tone', '1'), /now use version 1\./)
    assert.match(await done('presets', 'versions', 'tone'), /^1 +in use /m)
    assert.match(await done('presets', 'show', 'tone'), /^version +1$[\s\S]*"system_prompt": "Be brief\."/m)
    assert.match(await done('presets', 'show', 'tone', '3'), /Be kind\./)
    assert.match(await done('presets', 'set', 'tone', '--status', 'disabled'), /Updated "tone": .* status disabled/)
    assert.match(await done('presets', 'list'), /^tone +tone +disabled /m)
    assert.match(await refused('presets', 'show', 'none'), /404/)
    assert.match(await refused('presets', 'set', 'tone'), /Specify at least one/)
  })

  test('requests list filters by outcome, and show prints one request', async () => {
    const answered = (await ask('signalbox/demo')).headers.get('x-generation-id')!
    const { headers } = await service.ask('POST', '/chat/completions', {
      body: { model: 'signalbox/demo', provider: { only: ['nobody'] }, messages: [{ role: 'user', content: 'Hi' }] },
    })
    const refusedId = headers.get('x-generation-id')!
    for (const id of [answered, refusedId]) await untilMetered(service, id)
    const listed = await done('requests', 'list', '--outcome', 'refused', '--since', '1h')
    assert.match(listed, new RegExp(`${refusedId} .* refused: `))
    assert.ok(!listed.includes(answered))
    assert.equal(JSON.parse(await done('requests', 'list', '--limit', '1', '--json')).length, 1)
    const details = await done('requests', 'show', answered, '--content')
    assert.match(details, /^outcome +success$/m)
    assert.match(details, /^signalbox\/demo@signalbox +answered +\d+ ms/m)
    assert.match(details, /^total_cost_usd +0$/m)
    assert.match(details, /Not stored\./)
    assert.match(await done('requests', 'show', refusedId), /^ERROR\nkind +\w+/m)
    const nothing = await done('requests', 'list', '--member', 'eve@example.com', '--workspace', 'lab')
    assert.match(nothing, /^Member "eve@example.com" not found\. .*\nWorkspace "lab" not found\. .*\nTIME /)
    assert.match(await done('requests', 'list', '--member', 'OWNER@localhost', '--model', 'no/such'), /^TIME /)
    assert.match((await run('requests', 'list', '--since', 'yesterday')).out, /It must be an age/)
    for (const count of ['0', '', '1.5', 'many', '0x10'])
      assert.match((await run('requests', 'list', '--limit', count)).out, /It must be a whole number of at least 1/)
  })
})

test('parseFields parses JSON values, lists and text', () => {
  const isList = (name: string) => name === 'models'
  const words = ['limit=50', 'name=Ada = Grace', 'models=a/b, c/d', 'on=true', 'none=null', 'x=["y"]']
  assert.deepEqual(parseFields(words, isList), {
    limit: 50,
    name: 'Ada = Grace',
    models: ['a/b', 'c/d'],
    on: true,
    none: null,
    x: ['y'],
  })
  assert.deepEqual(parseFields(['models=null'], isList), { models: null })
  assert.deepEqual(parseFields(['models=7'], isList), { models: [7] })
  assert.throws(() => parseFields(['a=1', 'a=2']), /given twice/)
})
