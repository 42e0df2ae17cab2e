import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { until } from '#test/harness/until.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Runs the command as npx does: through bin/signalbox.js, from any folder. */
function signalbox(args: string[], env: Record<string, string> = {}) {
  const command = fileURLToPath(new URL('../../bin/signalbox.js', import.meta.url))
  const { status, stdout, stderr } = spawnSync(process.execPath, [command, ...args], {
    cwd: `${root}/docs`,
    env: { PATH: process.env.PATH, ...env },
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

test('signalbox config prints the effective settings', () => {
  const { status, stdout } = signalbox(['config'], { PORT: '9000' })
  assert.equal(status, 0)
  assert.match(stdout, /^port: 9000$/m)
})

test('an error is one sentence without a stack, and exit code 1', () => {
  const { status, stdout, stderr } = signalbox(['config'], { PORT: 'many' })
  assert.deepEqual([status, stdout], [1, ''])
  assert.match(stderr, /^The setting port from the environment variable PORT is invalid: .*\n$/)
})

test('every command has help', () => {
  const { stdout } = signalbox(['--help'])
  assert.match(stdout, /SIGNALBOX_KEY {2}Key .*SIGNALBOX_URL {2}Base URL/s)
  for (const [, command] of stdout.matchAll(/^ {2}([a-z]+) /gm)) {
    const { status, stdout: help } = signalbox([command!, '--help'])
    assert.equal(status, 0)
    assert.match(help, /^Usage: signalbox/)
  }
})

test('output to a full disk is one sentence without a stack, and exit code 1', () => {
  const command = `"$0" bin/signalbox.js config >/dev/full`
  const { status, stderr } = spawnSync('sh', ['-c', command, process.execPath], { cwd: root, encoding: 'utf8' })
  assert.equal(status, 1)
  assert.equal(stderr, 'The output cannot be written: no space left on device.\n')
})

test('a signal during a download ends the command with that signal and leaves no file', async () => {
  await using server = createServer((_request, response) => void response.write('half'))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-cli-'))
  const env = {
    SIGNALBOX_KEY: 'key',
    SIGNALBOX_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  }
  try {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      const args = ['bin/signalbox.js', 'interns', 'files', 'get', 'ada', 'a', join(folder, 'a')]
      const command = spawn(process.execPath, args, { cwd: root, env, stdio: 'ignore' })
      await until(() => existsSync(join(folder, 'a.part')))
      command.kill(signal)
      assert.deepEqual(await once(command, 'exit'), [null, signal])
      assert.deepEqual(readdirSync(folder), [])
    }
  } finally {
    server.closeAllConnections()
    rmSync(folder, { recursive: true })
  }
})
