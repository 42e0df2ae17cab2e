import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'

test('isAlive stays true without free file descriptors', () => {
  const script = `
    const { openSync } = await import('node:fs')
    const { isAlive, findProcess } = await import('#provision/host/processes.ts')
    const parent = findProcess(process.ppid)
    const alive = [isAlive(parent), isAlive({ ...parent, began: 'another' })]
    try { for (;;) openSync('/dev/null') } catch (error) { alive.push(error.code) }
    console.log(JSON.stringify([...alive, isAlive(parent)]))`
  const node = [process.execPath, '--input-type=module', '-e', script]
  const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', 'ulimit -n 100; "$@"; exit', 'bash', ...node], {
    encoding: 'utf8',
  })
  assert.deepEqual(stdout && JSON.parse(stdout), [true, false, 'EMFILE', true], stderr)
})
