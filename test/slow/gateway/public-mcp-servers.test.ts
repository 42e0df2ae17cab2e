import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { runningIntern, trySay } from '../../harness/interns/interns.ts'
import { toolResultsIn } from '../../harness/interns/scripted-coder.ts'
import { upstreamProtocols } from '../../harness/upstream/provider-facts.ts'
import { startWithUpstream } from '../../harness/upstream/recorded-providers.ts'
import { parseRequest, type Received } from '../../harness/upstream/scripted-upstream.ts'
import { strictRefusal, toolNames } from '../../harness/upstream/strict-upstreams.ts'
import { encodeResponse } from '../../harness/upstream/upstream-responses.ts'
import { publicServers } from '../../mcp/public-tools.ts'

const listingServer = fileURLToPath(new URL('../../mcp/listing-server.ts', import.meta.url))

/** Calls the tool `get_current_time` of the time server once if it is offered, then answers with text. */
function callTimeOnce(received: Received) {
  const { protocol, streamed } = parseRequest(received)
  const name = toolNames(received.body).find((each) => each.includes('get_current_time'))
  const isFirst = toolResultsIn(protocol, received.body).length === 0
  const call = { calls: [{ name: name!, input: { timezone: 'Europe/Rome' } }] }
  return strictRefusal(received) ?? encodeResponse(protocol, name && isFirst ? call : { text: 'Done.' }, streamed)
}

test(`${publicServers.length} public MCP servers of an intern work over each protocol`, async (t) => {
  const settings = { intern_users_from: 0 }
  await using providers = await startWithUpstream(callTimeOnce, ['model'], { settings })
  const { service, upstream } = providers
  const mcp_servers = publicServers.map(({ name }) => ({
    name,
    command: process.execPath,
    args: [listingServer, name],
  }))
  for (const [at, protocol] of upstreamProtocols.entries())
    await t.test(protocol, async () => {
      const { id } = await runningIntern(service, { name: `ada-${at}`, model: `${protocol}/model`, mcp_servers })
      const reply = await trySay(service, id, 'What time is it?', { approval_mode: 'self-drive' })
      assert.deepEqual([reply.text, reply.error], ['Done.', undefined])
      const { body } = upstream.requests.at(-1)!
      assert.match(JSON.stringify(toolResultsIn(protocol, body)) ?? '', /get_current_time.*Europe\/Rome/)
      const offered = toolNames(body)
      for (const { name } of publicServers)
        assert.ok(
          offered.some((tool) => tool.startsWith(`${name}__`)),
          name,
        )
      assert.ok(offered.length <= 128, `${offered.length} tools`)
      await service.ask('DELETE', `/interns/${id}`)
    })
})
