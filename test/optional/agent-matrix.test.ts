/**
 * Each coding agent with each protocol of a provider: a command with a permission, an edited file, a second turn of the
 * same session. The provider refuses what strict servers refuse. Runs with `npm run test:agents`, like
 * other-agents.test.ts, with the same variables. TEST_AGENTS_RECORD=1 writes the requests of the agents to
 * test/recordings/agents/.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { workspaceOf } from '#test/harness/interns/intern-files.ts'
import { answer, type InternReply, runningIntern, say } from '#test/harness/interns/interns.ts'
import { agentModel } from '#test/harness/interns/scripted-agent-model.ts'
import { freePort } from '#test/harness/service/free-port.ts'
import { startGeminiGateway } from '#test/harness/upstream/gemini-gateway.ts'
import { simulatedProtocols } from '#test/harness/upstream/provider-facts.ts'
import { type RecordedProviders, startWithUpstream } from '#test/harness/upstream/recorded-providers.ts'
import { type AgentFacts, agentFacts } from './agent-facts.ts'
import { agentsOnly, documentedAgent, skipAgents } from './installed-agents.ts'
import { recordRequests } from './request-recorder.ts'

for (const facts of agentFacts) {
  const name = facts.agent ?? 'builtin'
  if (agentsOnly && !agentsOnly.includes(name)) continue
  describe(`${name} with each protocol of a provider`, { skip: skipAgents }, () => {
    const refusals: string[] = []
    const stack = new AsyncDisposableStack()
    let recorded: RecordedProviders
    before(async () => {
      const port = await freePort()
      const recorder = stack.use(await recordRequests(name, `http://127.0.0.1:${port}`))
      const gateway = stack.use(await startGeminiGateway(() => `${recorder.url}/v1`))
      const agents =
        facts.agent === null ? {} : { [facts.agent]: documentedAgent(facts.agent, gateway.url, recorder.url) }
      recorded = stack.use(await startWithUpstream(agentModel(refusals), ['coder'], { settings: { agents, port } }))
    })
    after(() => stack.disposeAsync())

    for (const protocol of simulatedProtocols)
      test(`a command, an edit and a second turn over ${protocol}`, async () => {
        await playMatrixTurns(recorded, facts, protocol)
        assert.deepEqual(refusals.splice(0), [])
      })
  })
}

async function playMatrixTurns({ service, upstream }: RecordedProviders, facts: AgentFacts, protocol: string) {
  const from = upstream.requests.length
  const name = `a-${protocol.slice(0, 14)}`
  const { id } = await runningIntern(service, { name, agent: facts.agent, model: `${protocol}/coder` })
  const allowed = async (turn: InternReply): Promise<InternReply> =>
    turn.question ? allowed(await answer(service, id, turn, 'allow_once')) : turn

  const question = await say(service, id, facts.command('once'))
  assert.equal(question.question?.arguments.kind, 'permission', question.text)
  const ran = await allowed(question)
  assert.match(ran.text, facts.allowed('once'))
  assert.equal(ran.finish, 'stop')

  const more = { session_id: question.sessionId }
  const path = `${workspaceOf(service, id)}/made.txt`
  const wrote = await allowed(await say(service, id, `write ${path}: green tea`, more))
  assert.equal(readFileSync(path, 'utf8').trim(), 'green tea', wrote.text)

  const second = await say(service, id, 'Hello again', more)
  assert.match(second.text, /You said: Hello again/)
  const paths = upstream.requests.slice(from).map((request) => request.path)
  assert.ok(
    paths.every((one) => one.startsWith(`/${protocol}/`)),
    String(paths),
  )
  await service.ask('POST', `/interns/${id}/suspend`)
}
