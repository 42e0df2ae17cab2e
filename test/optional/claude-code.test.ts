/**
 * Claude Code's command line, fixing a failing test over each upstream protocol by a model that is played.
 * `npm run test:claude-code` installs it into a temporary folder; TEST_CLAUDE_CODE may also name a folder where it is
 * installed.
 */
import assert from 'node:assert/strict'
import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { playScript, toolResultsIn } from '#test/harness/interns/scripted-coder.ts'
import { simulatedProtocols } from '#test/harness/upstream/provider-facts.ts'
import { type RecordedProviders, startWithUpstream } from '#test/harness/upstream/recorded-providers.ts'

const request = process.env.TEST_CLAUDE_CODE
const skip = request ? false : 'Claude Code is installed and tried by "npm run test:claude-code" only'

describe('Claude Code fixes a failing test', { skip }, () => {
  let recorded: RecordedProviders
  let folder: string
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'signalbox-claude-code-'))
    recorded = await startWithUpstream(playScript(script(join(folder, 'sum.js'))), ['coder'])
  })
  after(async () => {
    await recorded[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true, force: true })
  })

  for (const protocol of simulatedProtocols)
    test(`over ${protocol}`, { timeout: 300_000 }, async () => {
      writeFileSync(join(folder, 'sum.js'), 'module.exports = (a, b) => a - b\n')
      writeFileSync(
        join(folder, 'test.js'),
        "require('assert').equal(require('./sum.js')(2, 3), 5)\nconsole.log('passes')\n",
      )
      const from = recorded.upstream.requests.length
      const text = await claude(`${protocol}/coder`)
      assert.match(text, /The test passes now/)
      assert.equal(readFileSync(join(folder, 'sum.js'), 'utf8'), 'module.exports = (a, b) => a + b\n')
      assert.equal(spawnSync(process.execPath, [join(folder, 'test.js')]).status, 0)
      const last = recorded.upstream.requests.slice(from).findLast(({ body }) => body?.tools)!
      const results = toolResultsIn(protocol, last.body).map((result) => JSON.stringify(result))
      assert.equal(results.length, 4)
      assert.match(results[0]!, /AssertionError/)
      assert.match(results[3]!, /passes/)
    })

  async function claude(model: string): Promise<string> {
    const { url, apiKey } = recorded.service
    const env = {
      PATH: `${join(process.execPath, '..')}:${process.env.PATH}`,
      HOME: folder,
      CLAUDE_CONFIG_DIR: join(folder, '.claude'),
      ANTHROPIC_BASE_URL: url.replace(/\/v1$/, ''),
      ANTHROPIC_AUTH_TOKEN: apiKey,
      ANTHROPIC_MODEL: model,
      ANTHROPIC_DEFAULT_HAIKU_MODEL: model,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    }
    const args = ['-p', 'Fix the failing test.', '--permission-mode', 'acceptEdits', '--allowedTools', 'Bash(node:*)']
    const running = promisify(execFile)(program(), args, { cwd: folder, env })
    running.child.stdin?.end()
    return (await running).stdout
  }
})

/** The script of the model: it runs the test, reads, edits, and runs the test again. */
const script = (path: string) => [
  { text: 'I run it.', calls: [{ name: 'Bash', input: { command: 'node test.js', description: 'Runs the test' } }] },
  { calls: [{ name: 'Read', input: { file_path: path } }] },
  { calls: [{ name: 'Edit', input: { file_path: path, old_string: 'a - b', new_string: 'a + b' } }] },
  { calls: [{ name: 'Bash', input: { command: 'node test.js', description: 'Runs the test again' } }] },
  { text: 'The test passes now.' },
]

let installed: string | undefined

function program(): string {
  if (request && request !== 'install') return join(request, 'node_modules/.bin/claude')
  if (!installed) {
    const prefix = mkdtempSync(join(tmpdir(), 'signalbox-claude-'))
    installed = prefix
    process.once('exit', () => rmSync(prefix, { recursive: true, force: true }))
    const args = ['install', '--prefix', prefix, '--no-audit', '--no-fund', '@anthropic-ai/claude-code']
    execFileSync('npm', args, { stdio: 'inherit' })
  }
  return join(installed, 'node_modules/.bin/claude')
}
