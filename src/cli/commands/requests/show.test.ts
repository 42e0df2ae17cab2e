import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { runCli } from '../../cli.ts'

type Costs = { upstream_inference_cost: number; limit_cost: number }

/** Prints a request with these costs and skipped endpoints. */
async function printRequest(costs: Costs, not_asked: object[] = []): Promise<string> {
  const created = { id: 'gen-1', created_at: '2030-01-31T00:00:00.000Z', total_cost: costs.upstream_inference_cost }
  const unconfirmed = { unconfirmed_usd: costs.limit_cost - costs.upstream_inference_cost }
  const data = { ...created, ...costs, ...unconfirmed, attempts: [], not_asked, content_findings: [] }
  await using server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ data }))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`
  const out: string[] = []
  const env = { SIGNALBOX_URL: url, SIGNALBOX_KEY: `sb-v1-${'0'.repeat(64)}` }
  await runCli(['requests', 'show', 'gen-1'], { env, out: (text) => void out.push(text), err: assert.fail })
  return out.join('\n')
}

test('show prints the unconfirmed amount and the charge to limits only if there is one', async () => {
  const unknown = await printRequest({ upstream_inference_cost: 0, limit_cost: 0.263195 })
  assert.match(unknown, /^total_cost_usd +0\n.*\nunconfirmed_usd +0\.263195\ncharged_to_limits_usd +0\.263195$/m)
  assert.doesNotMatch(await printRequest({ upstream_inference_cost: 0.5, limit_cost: 0.5 }), /charged_to_limits/)
})

test('show prints skipped endpoints with the reason, as lower rank or excluded', async () => {
  const skipped = [
    { endpoint_id: 'a/b@p', standing: 'behind', reason: 'not_reached' },
    { endpoint_id: 'a/b@q', standing: 'left_out', reason: 'guardrail' },
  ]
  const text = await printRequest({ upstream_inference_cost: 0, limit_cost: 0 }, skipped)
  assert.match(text, /a\/b@p +lower rank +not_reached\n *a\/b@q +excluded +guardrail/)
})
