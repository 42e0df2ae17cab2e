import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { defaultSandbox, newFolder, realShell } from '#test/harness/interns/scripted-agent.ts'

const skip = !existsSync('/proc/self/fd') && 'this system does not list open files'

/** Runs a program in a Node whose parent left files 9, 23 and 40 open, as pipes that can be written to. */
function inNode(program: string): string {
  const inherit = 'exec 9> >(cat >&2) 23>&9 40>&9; exec "$@" 9>&9 23>&23 40>&40'
  const args = ['--norc', '-c', inherit, 'bash', process.execPath, '--input-type=module', '-e', program]
  const { stdout, stderr } = spawnSync('bash', args, { encoding: 'utf8' })
  assert.notEqual(stdout, '', stderr)
  return stdout
}

const lists = (stdio: string) => `
  const { spawnSync } = await import('node:child_process')
  const { withoutInheritedFiles } = await import('#platform/process/inherited-files.ts')
  console.log(spawnSync('bash', ['--norc', '-c', 'ls -l /proc/$$/fd'], { encoding: 'utf8', stdio: ${stdio} }).stdout)`

/** The open descriptors of each program, except 0 to 2. */
const leading = (listed: string) => (listed.match(/\d+ -> (pipe|socket):/g) ?? []).filter((one) => !/^[0-2] /.test(one))

test('inherited file descriptors are not passed on', { skip }, () => {
  const passed = leading(inNode(lists(`['ignore', 'pipe', 'ignore']`)))
  assert.ok(passed.includes('23 -> pipe:') && passed.includes('40 -> pipe:'), String(passed))
  assert.deepEqual(leading(inNode(lists(`withoutInheritedFiles(['ignore', 'pipe', 'ignore'])`))), [])
})

for (const sandbox of [defaultSandbox, { ...defaultSandbox, path: '' }])
  test(`a command in the sandbox has three file descriptors: ${sandbox.path ? 'usual' : 'util-linux'}`, {
    skip,
  }, async (t) => {
    await using workspace = await newFolder()
    const missing = await realShell({}, sandbox).sandboxError(workspace.path)
    if (missing) return t.skip(missing)
    const found = inNode(`
    const { createShell } = await import('#agent/sandbox/shell.ts')
    const shell = createShell({ env: {}, sandbox: ${JSON.stringify(sandbox)} })
    const options = { workspace: ${JSON.stringify(workspace.path)}, sandbox: true, timeoutMs: 60_000 }
    const never = new AbortController().signal
    console.log((await shell.run('ls -l /proc/1/fd /proc/$$/fd', { ...options, signal: never })).output)`)
    assert.match(found, / 1 -> (pipe|socket):/)
    assert.deepEqual(leading(found), [])
  })
