/**
 * Other people's agents for real, with the settings that docs/agents.md gives, on the demo model. `npm run test:agents`
 * installs them into a temporary folder; TEST_AGENTS may also name a folder where they are installed.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { parse } from 'yaml'
import type { Config } from '#config/settings.ts'
import { type Open, open } from '#test/harness/intern-chat.ts'
import { answer, runningIntern, type Said, say } from '#test/harness/interns.ts'
import { startTestService, type TestService } from '#test/harness/service.ts'
import { until } from '#test/harness/until.ts'

const asked = process.env.TEST_AGENTS
const skip = asked ? false : 'other agents are installed and tried by "npm run test:agents" only'
const page = readFileSync(new URL('../../docs/agents.md', import.meta.url), 'utf8')

/** What an agent is told to do; `refused` is how its turn goes on after a no. */
const agents = [
  { name: 'codex', commands: 'escalate', allowed: /It says: /, refused: /^$/, answered: /"staging"/ },
  {
    name: 'claude',
    commands: 'run: echo done > made && cat made',
    allowed: /done/,
    refused: /User refused permission/,
    answered: /staging/,
  },
  { name: 'kimi', commands: 'run: echo done', allowed: /done/, refused: /rejected/, answered: /staging/ },
]

for (const { name, commands, allowed, refused, answered } of agents) {
  describe(`${name}, driven through the public API`, { skip }, () => {
    let service: TestService
    let id: string
    let first: Said
    const go = (content: string) => say(service, id, content, { session_id: first.sessionId })

    before(async () => {
      service = await startTestService({ settings: { agents: { [name]: documented(name) } } })
      id = (await runningIntern(service, { agent: name })).id
      first = await say(service, id, 'Hello')
    })
    after(() => service[Symbol.asyncDispose]())

    test('it answers a prompt with the demo model, by the intern’s own key', async () => {
      assert.match(first.text, /You said: Hello/)
      assert.equal(first.finish, 'stop')
      assert.ok(await until(async () => (await service.manage('GET', '/activity')).body.data[0]))
    })

    test('it asks for a permission, which is given or not', async () => {
      const question = await go(commands)
      assert.equal(question.asked?.arguments.kind, 'permission')
      assert.match((await answer(service, id, question, 'allow_once')).text, allowed)
      const again = await answer(service, id, await go(commands), 'reject_once')
      assert.match(again.text, refused)
      assert.equal(again.finish, 'stop')
    })

    test('it does not ask in self-drive', async () => {
      const said = await say(service, id, commands, { session_id: first.sessionId, approval_mode: 'self-drive' })
      assert.match(said.text, allowed)
      assert.equal(said.finish, 'stop')
    })

    test('it asks a question, and goes on with the answer', async () => {
      const question = await go('question')
      const { fields } = question.asked!.arguments as { fields?: { name: string }[] }
      const content = JSON.stringify({ action: 'accept', content: { [fields![0]!.name]: 'staging' } })
      assert.match((await answer(service, id, question, content)).text, answered)
    })

    test('a turn whose caller leaves is cancelled, and the session goes on', async () => {
      const body = { session_id: first.sessionId, messages: [{ role: 'user', content: 'stream 500 50' }] }
      const streaming = await open(service, id, body)
      await piece(streaming, 'piece-3')
      streaming.leave()
      const next = await until(async () => {
        const said = await go('Hello again')
        return said.error?.metadata?.reason !== 'busy' && said
      }, 5000)
      assert.match(next.text, /You said: .*Hello again/s)
    })
  })
}

async function piece(streaming: Open, wanted: string): Promise<void> {
  for (let event = await streaming.next(); event; event = await streaming.next()) {
    if (JSON.stringify(event).includes(wanted)) return
  }
  assert.fail(`${wanted} never came`)
}

/** The settings of an agent as the document gives them, where it is installed here. */
function documented(name: string): Config['agents'][string] {
  const found = [...page.matchAll(/```yaml\n(.*?)```/gs)].map(([, text]) => parse(text!).agents[name])
  const settings = found.find(Boolean)
  const moved = JSON.stringify(settings).replaceAll('/opt/agents', installed())
  return JSON.parse(moved)
}

let folder: string | undefined

function installed(): string {
  if (asked && existsSync(asked)) return asked
  if (folder) return folder
  folder = mkdtempSync(join(tmpdir(), 'signalbox-agents-'))
  const made = folder
  process.once('exit', () => rmSync(made, { recursive: true, force: true }))
  const packages = [...page.matchAll(/`npm install --prefix \/opt\/agents (\S+)`/g)].map(([, name]) => name!)
  execFileSync('npm', ['install', '--prefix', folder, '--no-audit', '--no-fund', ...packages], { stdio: 'inherit' })
  // Users of interns read them.
  chmodSync(folder, 0o755)
  assert.ok(readdirSync(folder).includes('node_modules'))
  return folder
}
