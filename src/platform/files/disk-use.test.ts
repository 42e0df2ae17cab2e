import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'

/** In a process that has opened all allowed files before it counts. */
const without = `
  import { openSync } from 'node:fs'
  import { diskUse } from '#platform/files/disk-use.ts'
  const kept = []
  try { for (;;) kept.push(openSync('/dev/null')) } catch {}
  await diskUse(['/tmp']).then((bytes) => console.log('counted', bytes), ({ code }) => console.log(code))`

test('without a process to count with, the usage is unknown, not zero', async () => {
  const args = ['-c', 'ulimit -n 64; exec "$@"', 'sh', process.execPath, '--input-type=module', '-e', without]
  const { stdout } = await promisify(execFile)('/bin/sh', args)
  assert.equal(stdout, 'EMFILE\n')
})
