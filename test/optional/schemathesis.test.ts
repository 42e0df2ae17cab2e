/**
 * Asks a service everything that its description allows, and much that it does not, for as long as told.
 * Wants `schemathesis` (`pip install schemathesis`), named by TEST_SCHEMATHESIS: the path of its command.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { startTestService } from '#test/harness/service.ts'

const command = process.env.TEST_SCHEMATHESIS
const seconds = process.env.TEST_SCHEMATHESIS_SECONDS ?? '300'

/** A schema cannot say which models there are, that one instant comes before another, or that a chat says something. */
const refusals = `[checks.positive_data_acceptance]
expected-statuses = ["2xx", "3xx", 400, 401, 402, 403, 404, 409, 410, 413, 429, "5xx"]
`

/** Where the description gives the form of an event's data, as generated clients want it, it expects that of the frame. */
const streams = `[[operations]]
include-operation-id = "chatWithIntern"
checks.response_schema_conformance.enabled = false

# The 404 is for the keys and members that the body names, not for the guardrail that was made.
[[operations]]
include-path-regex = "/assignments/(keys|members)$"
checks.ensure_resource_availability.enabled = false
`

test('nothing that the description allows breaks the service, and it answers as described', {
  skip: !command && 'TEST_SCHEMATHESIS does not name the command',
}, async () => {
  await using service = await startTestService()
  const folder = mkdtempSync(join(tmpdir(), 'schemathesis-'))
  const auth = (scheme: string, key: string) => `[auth.openapi.${scheme}]\nbearer = "${key}"\n`
  writeFileSync(
    join(folder, 'schemathesis.toml'),
    auth('api_key', service.apiKey) + auth('management_key', service.managementKey) + refusals + streams,
  )
  const told = await run(folder, [
    ...['run', `${service.url}/openapi.json`, '--checks', 'all', '--max-time', seconds],
    ...['--continue-on-failure', '--seed', '7', '--no-color', '--request-timeout', '60'],
  ])
  assert.equal(told.code, 0, told.text)
})

async function run(cwd: string, args: string[]): Promise<{ code: number | null; text: string }> {
  const child = spawn(command as string, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => (text += piece))
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  return { code, text }
}
