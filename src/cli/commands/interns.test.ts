import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { answer, runningIntern, say, untilIntern } from '#test/harness/interns/interns.ts'
import { startTestService, type TestService } from '#test/harness/service/service.ts'
import { until } from '#test/harness/until.ts'
import { readValue } from '../chat/ask-user.ts'
import { type ChatOutput, createConversation } from '../chat/conversation.ts'
import { runCli } from '../cli.ts'
import { createApiClient } from '../kit/api-client.ts'

const envOf = ({ url, apiKey }: TestService) => ({ SIGNALBOX_URL: url, SIGNALBOX_KEY: apiKey })

async function run(service: TestService, ...args: string[]) {
  const out: string[] = []
  const err: string[] = []
  const terminal = {
    env: envOf(service),
    out: (text: string) => void out.push(text),
    err: (text: string) => void err.push(text),
  }
  const code = await runCli(args, terminal)
  return { code, out: out.join('\n'), err: err.join('\n') }
}

test('interns create, list, suspend, provision and delete work', async () => {
  await using service = await startTestService()
  assert.match((await run(service, 'interns', 'create', 'ada', '--no-start')).out, /Created "ada" .*: stopped\./)
  assert.match((await run(service, 'interns', 'list')).out, /^ada +stopped +builtin/m)
  assert.equal((await run(service, 'interns', 'provision', 'ada')).code, 0)
  await until(async () => (await run(service, 'interns', 'list')).out.includes('running'))
  assert.equal((await run(service, 'interns', 'suspend', 'ada')).code, 0)
  assert.match((await run(service, 'interns', 'suspend', 'ada')).err, /refused \(409\)/)
  assert.equal((await run(service, 'interns', 'delete', 'ada')).code, 0)
})

test('interns create asks for the approval mode on a terminal', async () => {
  await using service = await startTestService()
  const [input, output] = [new PassThrough(), new PassThrough()]
  Object.assign(input, { isTTY: true, setRawMode: () => input })
  Object.assign(output, { isTTY: true, columns: 200 })
  let error = ''
  const create = (name: string, ...more: string[]) => createWith(envOf(service), name, ...more)
  const createWith = (env: Record<string, string>, name: string, ...more: string[]) =>
    runCli(['interns', 'create', name, '--no-start', ...more], {
      env,
      out: () => {},
      err: (text) => {
        error = text
      },
      screen: () => ({ input, output }) as never,
    })
  let displayed = ''
  output.on('data', (text) => {
    displayed += text
  })
  const asks = (count: number) => until(() => displayed.split('[m] manual (Enter)').length > count)
  assert.equal(await createWith({ ...envOf(service), SIGNALBOX_KEY: 'wrong' }, 'ada'), 1)
  assert.match(error, /401/)
  const created = create('ada')
  await asks(1)
  assert.match(displayed, /By default it acts without asking, and runs commands without a sandbox\./)
  input.write('manual\r')
  assert.equal(await created, 0)
  const cancelled = create('bob')
  await asks(2)
  input.write('\x03')
  assert.equal(await cancelled, 1)
  assert.equal(await create('cy', '--approval-mode', 'self-drive'), 0)
  const { body } = await service.ask('GET', '/interns')
  const modes = body.data.map(({ name, approval_mode }: Record<string, string>) => `${name} ${approval_mode}`)
  assert.deepEqual(modes.toSorted(), ['ada manual', 'cy self-drive'])
})

test('budget options set, change and remove the limits of an intern', async () => {
  await using service = await startTestService()
  const budget = async () => (await service.ask('GET', '/interns/ada')).body.budget
  await run(service, 'interns', 'create', 'ada', '--no-start', '--max-cost', '0.5', '--session-max-turns', '20')
  assert.deepEqual(await budget(), { max_cost_usd: 0.5, session_max_turns: 20 })
  assert.equal((await run(service, 'interns', 'budget', 'ada', '--max-seconds', '60')).code, 0)
  assert.deepEqual(await budget(), { max_seconds: 60 })
  assert.match((await run(service, 'interns', 'budget', 'ada', '--none', '--max-seconds', '6')).err, /not both/)
  assert.match((await run(service, 'interns', 'budget', 'ada', '--max-cost', 'much')).err, /must be a positive number/)
  await run(service, 'interns', 'budget', 'ada', '--none')
  assert.equal(await budget(), null)
})

test('budget without options shows the limits with the spending of sessions', async () => {
  await using service = await startTestService()
  await run(service, 'interns', 'create', 'ada', '--no-start')
  assert.equal(
    (await run(service, 'interns', 'budget', 'ada')).out,
    '"ada" has no limits. The budgets of its workspace and organization apply.',
  )
  const limits = ['--max-cost', '0.5', '--session-max-cost', '2', '--session-max-turns', '20']
  const unused = (await run(service, 'interns', 'budget', 'ada', ...limits)).out
  assert.match(
    unused,
    /^LIMIT +MAXIMUM +PERIOD +SPENT +REMAINING +RESETS\ncost +\$0\.5 +each turn +- +- +next prompt$/m,
  )
  assert.match(unused, /^turns +20 +each session +- +- +never$/m)
  await run(service, 'interns', 'provision', 'ada')
  await untilIntern(service, 'ada', 'running')
  const { sessionId } = await say(service, 'ada', 'hello')
  const used = (await run(service, 'interns', 'budget', 'ada')).out
  assert.match(used, new RegExp(`^turns +20 +session ${sessionId} +1 +19 +never$`, 'm'))
  const { sessions } = JSON.parse((await run(service, 'interns', 'budget', 'ada', '--json')).out)
  assert.deepEqual([sessions[0].id, sessions[0].remaining_usd + sessions[0].spent_usd], [sessionId, 2])
})

test('mcp add reports whether it adds or replaces a server', async () => {
  await using service = await startTestService()
  await run(service, 'interns', 'create', 'ada', '--no-start')
  const add = async (url: string) => (await run(service, 'interns', 'mcp', 'add', 'ada', 'tracker', '--url', url)).out
  assert.match(await add('https://one.example/mcp'), /^Added "tracker"\./)
  assert.match(await add('https://two.example/mcp'), /^Replaced "tracker"\./)
  const { out } = await run(service, 'interns', 'mcp', 'list', 'ada')
  assert.deepEqual(out.match(/https:\S+/g), ['https://two.example/mcp'])
})

test('mcp add refuses options that do not belong together', async () => {
  await using service = await startTestService()
  await run(service, 'interns', 'create', 'ada', '--no-start')
  const header = ['--header', 'X-Url=SIGNALBOX_URL', '--', 'server']
  const variable = ['--url', 'https://one.example/mcp', '--env', 'SIGNALBOX_URL']
  for (const [options, message] of [
    [header, /headers: are only for a URL/],
    [variable, /env: is only for a command/],
  ] as const)
    assert.match((await run(service, 'interns', 'mcp', 'add', 'ada', 'tracker', ...options)).err, message)
})

test('hosts lists the hosts; move and give-up take an intern or a host', async () => {
  await using service = await startTestService({ settings: { intern_host: 'desk', intern_labels: ['gpu'] } })
  assert.match((await run(service, 'interns', 'hosts')).out, /^desk +up +- +gpu +0 of unlimited +0/m)
  for (const args of [[], ['ada', '--host', 'desk']]) {
    const neither = await run(service, 'interns', 'give-up', ...args)
    assert.match(neither.err, /Specify an intern, or all interns of a host with --host/)
  }
  const manager = { ...service, apiKey: service.managementKey }
  assert.match((await run(manager, 'interns', 'give-up', '--host', 'desk')).err, /409.*The host desk is available/)
  assert.match((await run(manager, 'interns', 'move', '--host', 'no', '--to', 'desk')).err, /404.*Host no not found/)
})

test('log prints the lines, also as JSON, or why they are missing', async () => {
  await using service = await startTestService()
  await run(service, 'interns', 'create', 'ada', '--no-start')
  const none = await run(service, 'interns', 'log', 'ada')
  assert.deepEqual([none.code, none.out, none.err], [0, '', 'It has not been started yet.'])
  await run(service, 'interns', 'provision', 'ada')
  const { id } = await untilIntern(service, 'ada', 'running')
  const file = join(service.testStore.settings.data_dir!, 'interns', id, 'daemon.log')
  writeFileSync(file, 'first\nsecond \x1b[31m\n')
  assert.equal((await run(service, 'interns', 'log', 'ada', '--lines', '1')).out, 'second \\u001b[31m')
  const { lines, has_more } = JSON.parse((await run(service, 'interns', 'log', 'ada', '--json')).out)
  assert.deepEqual([lines, has_more], [['first', 'second \x1b[31m'], false])
})

test('conversation yields text, a question, and the output after the answer', async () => {
  await using service = await startTestService()
  await run(service, 'interns', 'create', 'ada')
  await until(async () => (await run(service, 'interns', 'list')).out.includes('running'))
  const { prompt, answer } = createConversation(createApiClient(envOf(service)), 'ada', { mode: 'manual' })
  const signal = new AbortController().signal
  const outputs: ChatOutput[] = await Array.fromAsync(prompt('write a haiku', signal))
  const last = outputs.at(-1)
  assert.ok(last?.type === 'question' && last.question.kind === 'permission' && last.question.detail === 'ls -la')
  const after = await Array.fromAsync(answer(last.question, 'allow_once', signal))
  assert.match(after.map((each) => (each.type === 'text' ? each.text : '')).join(''), /Done/)
})

test('runs lists the runs of an intern, and cancel ends one', async () => {
  await using service = await startTestService()
  await run(service, 'interns', 'create', 'ada')
  await until(async () => (await run(service, 'interns', 'list')).out.includes('running'))
  const { sessionId } = await say(service, 'ada', 'write a haiku')
  const listed = await until(async () => {
    const { out } = await run(service, 'interns', 'runs', 'ada', '--session', sessionId!, '--status', 'waiting')
    return out.includes(sessionId!) && out
  })
  const [, id = ''] = /(\S+) *$/m.exec(listed.split('\n')[1]!)!
  assert.equal((await run(service, 'interns', 'cancel', 'ada', id)).out, `Cancelled ${id}.`)
  await until(async () => (await run(service, 'interns', 'runs', 'ada', '--json')).out.includes('"cancelled"'))
  assert.match((await run(service, 'interns', 'cancel', 'ada', id)).err, /refused \(409\)/)
})

test('create reads the repository from options and its password from the environment', async () => {
  await using service = await startTestService()
  const create = ['interns', 'create', 'ada', '--no-start', '--repository', 'https://git.example.com/team/widgets']
  const env = { ...envOf(service), SIGNALBOX_REPOSITORY_PASSWORD: 'glpat-its-secret-token' }
  const terminal = { env, out: () => {}, err: assert.fail }
  assert.equal(await runCli([...create, '--ref', 'main', '--repository-user', 'ada'], terminal), 0)
  const { repository } = (await service.ask('GET', '/interns/ada')).body
  assert.deepEqual([repository.ref, repository.credential], ['main', { username: 'ada', label: 'glp…oken' }])
})

test('questions lists open questions, and audit lists their answers', async () => {
  await using service = await startTestService()
  const { id } = await runningIntern(service)
  const reply = await say(service, 'ada', 'write a haiku')
  const { out } = await run(service, 'interns', 'questions', 'ada')
  assert.match(out, new RegExp(`^${reply.sessionId} +\\S+ \\S+ +shell +ls -la$`, 'm'))
  const [listed] = JSON.parse((await run(service, 'interns', 'questions', 'ada', '--json')).out)
  assert.match((await run(service, 'interns', 'question', 'ada', listed.id)).out, /^detail +ls -la$/m)
  const all = (await run(service, 'interns', 'questions')).out
  assert.match(all, new RegExp(`^ada +${reply.sessionId} +\\S+ \\S+ +shell +ls -la$`, 'm'))
  await answer(service, 'ada', reply, 'allow_once')
  assert.doesNotMatch((await run(service, 'interns', 'questions', 'ada')).out, /shell/)
  const asManager = { ...service, apiKey: service.managementKey }
  const auditEvents = await run(asManager, 'audit', '--target', id, '--action', 'intern.answered')
  assert.match(auditEvents.out, /^\S+ \S+ +\S+@\S+ .+ intern\.answered +\S+ +allow_once: shell: ls -la$/m)
})

test('readValue parses the text for each type of field', () => {
  const read = (type: string, text: string, options?: string[]) =>
    readValue({ name: 'x', type, required: true, ...(options && { options }) }, text)
  assert.deepEqual([read('integer', '3'), read('integer', '3.5'), read('number', '3.5')], [3, undefined, 3.5])
  assert.deepEqual([read('boolean', 'Yes'), read('boolean', 'n'), read('boolean', '?')], [true, false, undefined])
  assert.deepEqual([read('string', 'c', ['a', 'b']), read('array', 'a, b', ['a', 'b'])], [undefined, ['a', 'b']])
})

test('rules set, get and replay work', async () => {
  await using service = await startTestService()
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-rules-'))
  const file = join(folder, 'rules.json')
  try {
    await run(service, 'interns', 'create', 'ada', '--no-start')
    assert.match((await run(service, 'interns', 'rules', 'get', 'ada')).out, /No rules/)
    writeFileSync(file, JSON.stringify([{ effect: 'deny', name: 'no push', commands: ['git push'] }]))
    const set = await run(service, 'interns', 'rules', 'set', 'ada', '--file', file)
    assert.match(set.out, /1 +deny +commands: git push +no push[\s\S]*Version 1/)
    assert.match((await run(service, 'interns', 'rules', 'set', 'ada', '--file', file, '--expect', '4')).err, /409/)
    const { out } = await run(service, 'interns', 'rules', 'replay', 'ada', '--file', file)
    assert.match(out, /Would have allowed 0 of 0/)
    writeFileSync(file, '{"rules": 1}')
    assert.match((await run(service, 'interns', 'rules', 'set', 'ada', '--file', file)).err, /a JSON list of rules/)
    assert.match((await run(service, 'interns', 'rules', 'get')).err, /Specify an intern/)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
