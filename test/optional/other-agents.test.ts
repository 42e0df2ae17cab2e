/**
 * Other people's agents for real, and the builtin one, with the settings that docs/agents.md gives, on the demo model:
 * each behaviour of test/optional/agent-facts.ts is there, or is not, as docs/agents.md says. `npm run test:agents`
 * installs them into a temporary folder; TEST_AGENTS may also name a folder where they are installed, and
 * TEST_AGENTS_ONLY the agents to try.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { parse } from 'yaml'
import type { Config } from '#platform/config/settings.ts'
import { openGeminiDoor } from '#test/harness/upstream/gemini-client.ts'
import { agentFacts, behaviours } from './agent-facts.ts'
import { type AgentWorld, openAgentWorld, plays } from './agent-plays.ts'

const asked = process.env.TEST_AGENTS
const skip = asked ? false : 'other agents are installed and tried by "npm run test:agents" only'
const only = process.env.TEST_AGENTS_ONLY?.split(',')
const page = readFileSync(new URL('../../docs/agents.md', import.meta.url), 'utf8')

for (const facts of agentFacts) {
  const name = facts.agent ?? 'builtin'
  if (only && !only.includes(name)) continue
  describe(`${name}, driven through the public API`, { skip }, () => {
    let world: AgentWorld
    const stack = new AsyncDisposableStack()
    before(async () => {
      const door = stack.use(await openGeminiDoor(() => world.service.url))
      const settings = facts.agent === null ? {} : { [facts.agent]: documented(facts.agent, door.url) }
      world = await openAgentWorld(facts, settings)
      stack.defer(() => world.close())
    })
    after(() => stack.disposeAsync())

    for (const behaviour of behaviours)
      test(behaviour, async () => {
        const lack = facts.lacks[behaviour]
        if (!lack) return plays[behaviour](world)
        const works = await plays[behaviour](world).then(
          () => true,
          () => false,
        )
        assert.ok(!works, `it works by now, though it is said that ${lack.why}`)
      })
  })
}

/** The settings of an agent as the document gives them, where it is installed here. */
function documented(name: string, gateway: string): Config['agents'][string] {
  const found = [...page.matchAll(/```yaml\n(.*?)```/gs)].map(([, text]) => parse(text!).agents[name])
  const settings = JSON.stringify(found.find(Boolean))
  return JSON.parse(settings.replaceAll('/opt/agents', installed()).replace('https://gateway.example', gateway))
}

let folder: string | undefined

function installed(): string {
  if (asked && existsSync(asked)) return asked
  if (folder) return folder
  folder = mkdtempSync(join(tmpdir(), 'signalbox-agents-'))
  const made = folder
  process.once('exit', () => rmSync(made, { recursive: true, force: true }))
  const packages = agentFacts.flatMap((facts) => (facts.package ? [`${facts.package}@${facts.version}`] : []))
  execFileSync('npm', ['install', '--prefix', folder, '--no-audit', '--no-fund', ...packages], { stdio: 'inherit' })
  // Users of interns read them.
  chmodSync(folder, 0o755)
  return folder
}
