/**
 * Anthropic's Python client, every feature over every upstream protocol. `npm run test:anthropic-python` makes an
 * environment for it in a temporary folder; TEST_ANTHROPIC_PYTHON may also name a python that has the package.
 */
import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { upstreamProtocols } from '#test/harness/upstream/provider-facts.ts'
import { startWithRecordings } from '#test/harness/upstream/recorded-providers.ts'

const request = process.env.TEST_ANTHROPIC_PYTHON
const skip = request
  ? false
  : 'Anthropic’s Python client is installed and tried by "npm run test:anthropic-python" only'
const script = fileURLToPath(new URL('anthropic_features.py', import.meta.url))

test('anthropic for Python: every feature over every upstream protocol', { skip, timeout: 600_000 }, async (t) => {
  await using recorded = await startWithRecordings()
  const { url, apiKey } = recorded.service
  const env = { ...process.env, API_KEY: apiKey, BASE_URL: url.replace(/\/v1$/, '') }
  const { stdout } = await promisify(execFile)(python(), [script, ...upstreamProtocols], { env })
  const cells = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  for (const [feature, row] of Map.groupBy(cells, (cell) => cell.feature))
    t.diagnostic([feature.padEnd(22), ...row.map(({ result }) => result.padEnd(16))].join(' '))
  assert.deepEqual(
    cells.filter(({ result }) => result.startsWith('FAILED')),
    [],
  )
  assert.equal(cells.length, 14 * upstreamProtocols.length)
})

function python(): string {
  if (request && request !== 'install') return request
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-python-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  execFileSync('python3', ['-m', 'venv', folder], { stdio: 'inherit' })
  execFileSync(join(folder, 'bin/pip'), ['install', '--quiet', 'anthropic'], { stdio: 'inherit' })
  return join(folder, 'bin/python')
}
