import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { test } from 'node:test'
import { lowerPriority } from './process-priority.ts'

test('a process lowers the priority of its session; an ended process is ignored', async () => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true, stdio: 'ignore' })
  await once(child, 'spawn')
  const expected = Math.min(19, getPriority() + 5)
  await lowerPriority(child.pid!, 5)
  assert.equal(getPriority(child.pid!), expected)
  const group = `/proc/${child.pid}/autogroup`
  if (existsSync(group)) assert.match(readFileSync(group, 'utf8'), new RegExp(` nice ${expected}$`, 'm'))
  child.kill()
  await once(child, 'exit')
  await lowerPriority(child.pid!, 5)
})
