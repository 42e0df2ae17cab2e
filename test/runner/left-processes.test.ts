import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { endProcesses, processesIn } from './left-processes.ts'

test('a detached process that names a file of the folder is found and ended', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'left-'))
  const program = 'process.stdout.write("started"); setInterval(() => {}, 1000)'
  const child = spawn(process.execPath, ['-e', program, `${folder}/settings.json`], { detached: true })
  const exited = once(child, 'exit')
  await once(child.stdout, 'data')

  assert.deepEqual(
    (await processesIn(folder, 0)).map(({ pid }) => pid),
    [child.pid],
  )
  await endProcesses(folder)
  await exited
  assert.deepEqual(await processesIn(folder, 0), [])
  rmSync(folder, { recursive: true })
})
