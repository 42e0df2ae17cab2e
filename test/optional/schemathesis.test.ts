/**
 * Sends a service many requests that its description allows, and many that it does not, for the configured time.
 * Requires `schemathesis` (`pip install schemathesis`), named by TEST_SCHEMATHESIS: the path of its command.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { describeApi } from '#api/server/description.ts'
import { startTestService, type TestService } from '#test/harness/service/service.ts'

const command = process.env.TEST_SCHEMATHESIS
const seconds = process.env.TEST_SCHEMATHESIS_SECONDS ?? '300'
const seed = process.env.TEST_SCHEMATHESIS_SEED ?? '7'
const hooks = fileURLToPath(new URL('schemathesis-hooks.py', import.meta.url))

/** A body of more bytes than a path takes is refused before it is read. What valid data may be refused for is in the hooks. */
const checks = `hooks = "${hooks}"
[checks.negative_data_rejection]
expected-statuses = [400, 401, 403, 404, 405, 406, 409, 412, 413, 415, 422, 428, 429, "5xx"]
`

test('requests by the description never break the service', {
  skip: !command && 'TEST_SCHEMATHESIS does not name the command',
}, async () => {
  await using service = await startTestService()
  const folder = mkdtempSync(join(tmpdir(), 'schemathesis-'))
  const auth = (scheme: string, key: string) => `[auth.openapi.${scheme}]\nbearer = "${key}"\n`
  writeFileSync(
    join(folder, 'schemathesis.toml'),
    checks + auth('api_key', service.apiKey) + auth('management_key', service.managementKey),
  )
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(describeApi(), framesOfEvents))
  const output = await run(folder, await whatThereIs(service), [
    ...['run', 'openapi.json', '--url', service.url, '--checks', 'all', '--max-time', seconds],
    ...['--continue-on-failure', '--seed', seed, '--no-color', '--request-timeout', '60'],
  ])
  assert.equal(output.code, 0, output.text)
})

/**
 * The description has the schema of the data of an event, as generated clients need it. Schemathesis applies it to the
 * whole frame, unless it is written as OpenAPI 3.2 defines it.
 */
function framesOfEvents(_: string, value: unknown): unknown {
  const stream = (value as { 'text/event-stream'?: { schema: object } } | null)?.['text/event-stream']
  if (!stream) return value
  const json = { contentMediaType: 'application/json', contentSchema: stream.schema }
  const data = { type: 'string', anyOf: [{ const: '[DONE]' }, json] }
  const itemSchema = { type: 'object', required: ['data'], properties: { data } }
  return { ...(value as object), 'text/event-stream': { itemSchema } }
}

async function whatThereIs(service: TestService): Promise<Record<string, string>> {
  const keys = await service.manage('GET', '/keys')
  const members = await service.manage('GET', '/organization/members')
  return {
    TEST_MODEL: 'signalbox/demo',
    TEST_KEY_HASH: keys.body.data[0].hash,
    TEST_MEMBER_ID: members.body.data[0].id,
  }
}

async function run(cwd: string, variables: Record<string, string>, args: string[]) {
  const env = { ...process.env, ...variables }
  const child = spawn(command as string, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => (text += piece))
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  return { code, text }
}
