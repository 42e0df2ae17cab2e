/**
 * Agents of other vendors, and the builtin one, with the settings of examples/agents/, on the demo model:
 * each behaviour of test/optional/agent-facts.ts is there, or is not, as docs/agents.md says. `npm run test:agents`
 * installs them into a temporary folder; TEST_AGENTS may also name a folder where they are installed, and
 * TEST_AGENTS_ONLY the agents to try.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { startGeminiGateway } from '#test/harness/upstream/gemini-gateway.ts'
import { agentFacts, behaviours } from './agent-facts.ts'
import { type AgentWorld, openAgentWorld, plays } from './agent-plays.ts'
import { agentsOnly, documentedAgent, skipAgents } from './installed-agents.ts'

for (const facts of agentFacts) {
  const name = facts.agent ?? 'builtin'
  if (agentsOnly && !agentsOnly.includes(name)) continue
  describe(`${name}, driven through the public API`, { skip: skipAgents }, () => {
    let world: AgentWorld
    const stack = new AsyncDisposableStack()
    before(async () => {
      const gateway = stack.use(await startGeminiGateway(() => world.service.url))
      const settings = facts.agent === null ? {} : { [facts.agent]: documentedAgent(facts.agent, gateway.url) }
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
