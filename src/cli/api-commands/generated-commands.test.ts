import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { startTestService, type TestService } from '#test/harness/service/service.ts'
import { runCli } from '../cli.ts'

async function run(env: Record<string, string>, ...args: string[]) {
  const printed: string[] = []
  const print = (text: string) => void printed.push(text)
  const code = await runCli(args, { env, out: print, err: print })
  return { code, out: printed.join('\n') }
}

describe('commands from the description of the API', () => {
  let service: TestService
  before(async () => {
    service = await startTestService()
  })
  after(() => service[Symbol.asyncDispose]())

  const manage = (...args: string[]) =>
    run({ SIGNALBOX_URL: service.url, SIGNALBOX_KEY: service.managementKey, PROVIDER_KEY: 'sk-0123456789' }, ...args)

  test('an update sends numbers and switches, and "null" removes a value', async () => {
    const { body } = await service.manage('POST', '/keys', { name: 'ci' })
    const hash = body.data.hash.slice(0, 12)
    const limited = await manage('keys', 'set', hash, '--limit', '5', '--disabled', 'true', '--json')
    assert.deepEqual([JSON.parse(limited.out).limit, JSON.parse(limited.out).disabled], [5, true])
    assert.equal(JSON.parse((await manage('keys', 'set', hash, '--limit', 'null', '--json')).out).limit, null)
    assert.match((await manage('keys', 'show', hash)).out, /^name +ci$/m)
  })

  test('errors about options name the valid options', async () => {
    for (const [args, message] of [
      [['keys', 'set', '000000'], /^Specify at least one of these options: --name, .*, --interns-grant\.$/],
      [['webhooks', 'set', 'w'], / --event, --include\b/],
      [['interns', 'delete', 'ada', '--acknowledge-workspace-loss'], /unknown option/i],
      [['keys', 'set', '000000', '--limit', 'much'], /It must be a number/],
      [['keys', 'set', '000000', '--disabled', 'yes'], /Allowed choices are true, false/],
      [['analytics', 'query', 'request_count', '--filters', '[x'], /It must be JSON/],
      [['models', 'show', 'demo'], /^"demo" is not an ID with a slash, such as "openai\/gpt-5\.2"\.$/],
    ] as const) {
      const { code, out } = await manage(...args)
      assert.equal(code, 1, out)
      assert.match(out, message)
    }
  })

  test('an ID of a model keeps its slash in the path', async () => {
    assert.match((await manage('models', 'show', 'signalbox/demo')).out, /^id +signalbox\/demo$/m)
    assert.match((await manage('models', 'endpoints', 'signalbox/demo')).out, /^signalbox +Signalbox +healthy /m)
  })

  test('the status of the catalogue has a row for each provider, with missing variables', async () => {
    const { out } = await manage('catalogue', 'status')
    assert.match(out, /^\d+ models with \d+ endpoints from starter\.json$/m)
    assert.match(out, /^signalbox +2 +-$/m)
  })

  test('members of a workspace are added and removed in one request each', async () => {
    await service.manage('POST', '/workspaces', { name: 'Lab', slug: 'lab' })
    await service.manage('POST', '/organization/members', { name: 'Ann Lee', email: 'ann@example.com' })
    const added = await manage('workspaces', 'members', 'add', 'lab', 'ann@example.com', '--access', 'viewer')
    assert.deepEqual(added, { code: 0, out: 'ann@example.com is viewer of "lab".' })
    const removed = await manage('workspaces', 'members', 'remove', 'lab', 'ann@example.com', '--disable-keys')
    assert.deepEqual(removed, { code: 0, out: 'Removed 1 member from "lab".' })
  })

  test('a guardrail is assigned to keys and members by their listed names', async () => {
    await service.manage('POST', '/guardrails', { name: 'Few' })
    const { body } = await service.manage('POST', '/keys', { name: 'few' })
    const assigned = await manage('guardrails', 'assign-keys', 'Few', body.data.hash.slice(0, 8))
    assert.equal(assigned.out, 'Assigned "Few" to 1 key.')
    assert.match((await manage('guardrails', 'keys', 'Few')).out, / few /)
    assert.match((await manage('guardrails', 'assignments', 'keys')).out, /^GUARDRAIL ID +HASH +NAME +KEY +ASSIGNED/)
    const member = await manage('guardrails', 'assign-members', 'Few', 'owner@localhost')
    assert.equal(member.out, 'Assigned "Few" to 1 member.')
  })

  test('a secret is read from the environment', async () => {
    const [, id] = /^Added (\S+) /.exec((await manage('byok', 'add', 'openai')).out)!
    const { out } = await manage('byok', 'set', id!, '--name', 'team', '--json')
    assert.equal(JSON.parse(out).name, 'team')
    assert.doesNotMatch(out, /sk-0123456789/)
    const replaced = await manage('byok', 'set', id!, '--json')
    assert.deepEqual([replaced.code, JSON.parse(replaced.out).id], [0, id])
  })

  test('an empty list names the members and workspaces that do not exist', async () => {
    const filter = ['--member', 'eve@example.com', '--workspace', 'nowhere']
    const hints = /^Member "eve@example\.com" not found\. .*\nWorkspace "nowhere" not found\. /m
    for (const command of [
      ['analytics', 'sums', 'session'],
      ['requests', 'export'],
      ['requests', 'release'],
    ])
      assert.match((await manage(...command, ...filter)).out, hints)
    assert.doesNotMatch((await manage('analytics', 'sums', 'session')).out, /not found/)
  })

  test('the lines of an exported table end with a line feed', async () => {
    const { out } = await manage('requests', 'export')
    assert.match(out, /^created_at,.*,http_referer$/)
  })
})

test('a list reads all pages, whichever way they are numbered', async () => {
  const queries: string[] = []
  await using server = createServer((request, response) => {
    queries.push(request.url!)
    const isLast = request.url!.includes('starting_after')
    const page = { data: [{ id: queries.length }], has_more: !isLast, next_cursor: isLast ? undefined : 'c1' }
    response.setHeader('content-type', 'application/json').end(JSON.stringify(page))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`
  const env = { SIGNALBOX_URL: url, SIGNALBOX_KEY: `sb-v1-${'0'.repeat(64)}` }
  const { out } = await run(env, 'interns', 'sessions', 'ada', '--json')
  assert.deepEqual(JSON.parse(out), [{ id: 1 }, { id: 2 }])
  assert.equal(queries[1], '/api/v1/interns/ada/sessions?limit=100&starting_after=c1')
})
