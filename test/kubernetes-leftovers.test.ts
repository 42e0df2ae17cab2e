import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { makeOwnFolder, noteTraces, removeLeftovers } from './kubernetes/leftovers.ts'

const skip = process.platform === 'linux' ? false : 'it looks into /proc'

/** A folder of a process that goes on or has ended, with a process in it and a setting that is another one by now. */
async function somethingLeft(ownerEnded: boolean) {
  const parent = mkdtempSync(join(tmpdir(), 'signalbox-leftovers-'))
  const folder = makeOwnFolder(parent)
  const setting = join(parent, 'setting')
  writeFileSync(setting, 'after')
  const inner = join(folder, 'inner')
  mkdirSync(inner)
  noteTraces(inner, { links: ['sbnone0'], controlGroup: '/signalbox-none', kernel: [[setting, 'before']] })
  if (ownerEnded) writeFileSync(join(folder, 'owner.json'), JSON.stringify({ pid: process.pid, began: 'long ago' }))
  // Known by its environment alone.
  const child = spawn('sleep', ['600'], { env: { ...process.env, TMPDIR: folder }, detached: true, stdio: 'ignore' })
  const ended = once(child, 'exit').then(([, signal]) => signal as string)
  await once(child, 'spawn')
  const said: string[] = []
  await removeLeftovers((what) => said.push(what), parent)
  return {
    ...{ folder, child, ended, said, setting: readFileSync(setting, 'utf8') },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await ended
      rmSync(parent, { recursive: true })
    },
  }
}

test('what a run that was killed left behind is ended and removed at the next start, and the kernel is as before', {
  skip,
}, async () => {
  await using left = await somethingLeft(true)
  assert.equal(await left.ended, 'SIGKILL')
  assert.deepEqual([existsSync(left.folder), left.setting], [false, 'before'])
  assert.deepEqual(left.said, [`Removing what was left in ${left.folder}.`])
})

test('what belongs to a run that goes on is left alone', { skip }, async () => {
  await using other = await somethingLeft(false)
  assert.deepEqual([other.child.signalCode, existsSync(other.folder), other.setting], [null, true, 'after'])
  assert.deepEqual(other.said, [])
})
