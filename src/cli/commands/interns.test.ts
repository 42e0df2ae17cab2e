import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { answer, runningIntern, say, untilIntern } from '#test/harness/interns.ts'
import { startTestService, type TestService } from '#test/harness/service.ts'
import { until } from '#test/harness/until.ts'
import { readValue } from '../chat/answers.ts'
import { type ChatOutput, conversation } from '../chat/conversation.ts'
import { runCli } from '../cli.ts'
import { apiClient } from '../kit/api-client.ts'

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

test('interns are made, listed, stopped, started and deleted from the command line', async () => {
  await using service = await startTestService()
  assert.match((await run(service, 'interns', 'create', 'ada', '--no-start')).out, /Made "ada" .*: stopped\./)
  assert.match((await run(service, 'interns', 'list')).out, /^ada +stopped +builtin/m)
  assert.equal((await run(service, 'interns', 'provision', 'ada')).code, 0)
  await until(async () => (await run(service, 'interns', 'list')).out.includes('running'))
  assert.equal((await run(service, 'interns', 'suspend', 'ada')).code, 0)
  assert.match((await run(service, 'interns', 'suspend', 'ada')).err, /refused \(409\)/)
  assert.equal((await run(service, 'interns', 'delete', 'ada')).code, 0)
})

test('a budget is given to a new intern, changed and taken away', async () => {
  await using service = await startTestService()
  const budget = async () => (await service.ask('GET', '/interns/ada')).body.budget
  await run(service, 'interns', 'create', 'ada', '--no-start', '--max-cost', '0.5', '--session-max-turns', '20')
  assert.deepEqual(await budget(), { max_cost_usd: 0.5, session_max_turns: 20 })
  assert.equal((await run(service, 'interns', 'budget', 'ada', '--max-seconds', '60')).code, 0)
  assert.deepEqual(await budget(), { max_seconds: 60 })
  assert.match((await run(service, 'interns', 'budget', 'ada')).err, /Say what it may take/)
  assert.match((await run(service, 'interns', 'budget', 'ada', '--max-cost', 'much')).err, /must be a number above 0/)
  await run(service, 'interns', 'budget', 'ada', '--none')
  assert.equal(await budget(), null)
})

test('hosts are listed, and either one intern or all of a host are meant', async () => {
  await using service = await startTestService({ settings: { intern_host: 'desk', intern_labels: ['gpu'] } })
  assert.match((await run(service, 'interns', 'hosts')).out, /^desk +up +- +gpu +0 of any number +0/m)
  for (const args of [[], ['ada', '--host', 'desk']]) {
    const neither = await run(service, 'interns', 'give-up', ...args)
    assert.match(neither.err, /Name an intern, or with --host all interns of a host/)
  }
  const manager = { ...service, apiKey: service.managementKey }
  assert.match((await run(manager, 'interns', 'give-up', '--host', 'desk')).err, /409.*The host desk is there/)
  assert.match((await run(manager, 'interns', 'move', '--host', 'no', '--to', 'desk')).err, /404.*no host no/)
})

test('the log of an intern is printed, as JSON too, and why there is none', async () => {
  await using service = await startTestService()
  await run(service, 'interns', 'create', 'ada', '--no-start')
  const none = await run(service, 'interns', 'log', 'ada')
  assert.deepEqual([none.code, none.out, none.err], [0, '', 'It has not been started yet.'])
  await run(service, 'interns', 'provision', 'ada')
  const { id } = await untilIntern(service, 'ada', 'running')
  const file = join(service.place.settings.data_dir!, 'interns', id, 'daemon.log')
  writeFileSync(file, 'first\nsecond \x1b[31m\n')
  assert.equal((await run(service, 'interns', 'log', 'ada', '--lines', '1')).out, 'second \\u001b[31m')
  const { lines, has_more } = JSON.parse((await run(service, 'interns', 'log', 'ada', '--json')).out)
  assert.deepEqual([lines, has_more], [['first', 'second \x1b[31m'], false])
})

test('a chat hears text, a question and what follows the answer, in one session', async () => {
  await using service = await startTestService()
  await run(service, 'interns', 'create', 'ada')
  await until(async () => (await run(service, 'interns', 'list')).out.includes('running'))
  const { prompt, answer } = conversation(apiClient(envOf(service)), 'ada', { mode: 'manual' })
  const signal = new AbortController().signal
  const said: ChatOutput[] = await Array.fromAsync(prompt('write a haiku', signal))
  const last = said.at(-1)
  assert.ok(last?.type === 'asked' && last.asked.kind === 'permission' && last.asked.detail === 'ls -la')
  const after = await Array.fromAsync(answer(last.asked, 'allow_once', signal))
  assert.match(after.map((each) => (each.type === 'text' ? each.text : '')).join(''), /Done/)
})

test('the turns of an intern are listed, and one is ended', async () => {
  await using service = await startTestService()
  await run(service, 'interns', 'create', 'ada')
  await until(async () => (await run(service, 'interns', 'list')).out.includes('running'))
  const { sessionId } = await say(service, 'ada', 'write a haiku')
  const listed = await until(async () => {
    const { out } = await run(service, 'interns', 'runs', 'ada', '--session', sessionId!, '--status', 'waiting')
    return out.includes(sessionId!) && out
  })
  const [, id = ''] = /(\S+) *$/m.exec(listed.split('\n')[1]!)!
  assert.equal((await run(service, 'interns', 'cancel', 'ada', id)).out, 'It is cancelled.')
  await until(async () => (await run(service, 'interns', 'runs', 'ada', '--json')).out.includes('"cancelled"'))
  assert.match((await run(service, 'interns', 'cancel', 'ada', id)).err, /refused \(409\)/)
})

test('a repository comes from options, and its password from the environment alone', async () => {
  await using service = await startTestService()
  const create = ['interns', 'create', 'ada', '--no-start', '--repository', 'https://git.example.com/team/widgets']
  const env = { ...envOf(service), SIGNALBOX_REPOSITORY_PASSWORD: 'glpat-its-secret-token' }
  const terminal = { env, out: () => {}, err: assert.fail }
  assert.equal(await runCli([...create, '--ref', 'main', '--repository-user', 'ada'], terminal), 0)
  const { repository } = (await service.ask('GET', '/interns/ada')).body
  assert.deepEqual([repository.ref, repository.credential], ['main', { username: 'ada', label: 'glp…oken' }])
})

test('what interns wait for is listed, and who answered what is in the audit trail', async () => {
  await using service = await startTestService()
  const { id } = await runningIntern(service)
  const asked = await say(service, 'ada', 'write a haiku')
  const { out } = await run(service, 'interns', 'questions', 'ada')
  assert.match(out, new RegExp(`^${asked.sessionId} +\\S+ \\S+ +shell +ls -la$`, 'm'))
  const all = (await run(service, 'interns', 'questions')).out
  assert.match(all, new RegExp(`^ada +${asked.sessionId} +\\S+ \\S+ +shell +ls -la$`, 'm'))
  await answer(service, 'ada', asked, 'allow_once')
  assert.doesNotMatch((await run(service, 'interns', 'questions', 'ada')).out, /shell/)
  const asManager = { ...service, apiKey: service.managementKey }
  const trail = await run(asManager, 'audit', '--target', id, '--action', 'intern.answered')
  assert.match(trail.out, /^\S+ \S+ +\S+@\S+ .+ intern\.answered +\S+ +allow_once: shell: ls -la$/m)
})

test('what a person types becomes the value that its field wants, or is refused', () => {
  const read = (type: string, text: string, options?: string[]) =>
    readValue({ name: 'x', type, required: true, ...(options && { options }) }, text)
  assert.deepEqual([read('integer', '3'), read('integer', '3.5'), read('number', '3.5')], [3, undefined, 3.5])
  assert.deepEqual([read('boolean', 'Yes'), read('boolean', 'n'), read('boolean', '?')], [true, false, undefined])
  assert.deepEqual([read('string', 'c', ['a', 'b']), read('array', 'a, b', ['a', 'b'])], [undefined, ['a', 'b']])
})

test('rules are set from a file, read and tried from the command line', async () => {
  await using service = await startTestService()
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-rules-'))
  const file = join(folder, 'rules.json')
  try {
    await run(service, 'interns', 'create', 'ada', '--no-start')
    assert.match((await run(service, 'interns', 'rules', 'get', 'ada')).out, /no rules/)
    writeFileSync(file, JSON.stringify([{ effect: 'deny', name: 'no push', commands: ['git push'] }]))
    const set = await run(service, 'interns', 'rules', 'set', 'ada', '--file', file)
    assert.match(set.out, /1 +deny +commands: git push +no push[\s\S]*Version 1/)
    assert.match((await run(service, 'interns', 'rules', 'set', 'ada', '--file', file, '--expect', '4')).err, /409/)
    const { out } = await run(service, 'interns', 'rules', 'replay', 'ada', '--file', file)
    assert.match(out, /Would have granted 0 of 0/)
    writeFileSync(file, '{"rules": 1}')
    assert.match((await run(service, 'interns', 'rules', 'set', 'ada', '--file', file)).err, /a JSON list of rules/)
    assert.match((await run(service, 'interns', 'rules', 'get')).err, /Name an intern/)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
