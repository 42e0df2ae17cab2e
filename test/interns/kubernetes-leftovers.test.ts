import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { makeOwnFolder, noteTraces, removeLeftovers } from '../kubernetes/leftovers.ts'

const skip = process.platform === 'linux' ? false : '/proc is missing'

/** Makes the folder of a run, with a process and a changed kernel setting, then removes the leftovers of ended runs. */
async function removeTracesOf(run: 'ended' | 'running') {
  const parent = mkdtempSync(join(tmpdir(), 'signalbox-leftovers-'))
  const folder = makeOwnFolder(parent)
  const setting = join(parent, 'setting')
  writeFileSync(setting, 'after')
  const inner = join(folder, 'inner')
  mkdirSync(inner)
  noteTraces(inner, { links: ['sbnone0'], controlGroup: '/signalbox-none', kernel: [[setting, 'before']] })
  if (run === 'ended')
    writeFileSync(join(folder, 'owner.json'), JSON.stringify({ pid: process.pid, began: 'long ago' }))
  // Only its environment names the folder.
  const child = spawn('sleep', ['600'], { env: { ...process.env, TMPDIR: folder }, detached: true, stdio: 'ignore' })
  const ended = once(child, 'exit').then(([, signal]) => signal as string)
  await once(child, 'spawn')
  const messages: string[] = []
  await removeLeftovers((message) => messages.push(message), parent)
  return {
    folder,
    child,
    ended,
    messages,
    setting: readFileSync(setting, 'utf8'),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await ended
      rmSync(parent, { recursive: true })
    },
  }
}

test('the leftovers of a killed run are removed and kernel settings restored', { skip }, async () => {
  await using traces = await removeTracesOf('ended')
  assert.equal(await traces.ended, 'SIGKILL')
  assert.deepEqual([existsSync(traces.folder), traces.setting], [false, 'before'])
  assert.deepEqual(traces.messages, [`Removing what was left in ${traces.folder}.`])
})

test('the traces of a running run are not removed', { skip }, async () => {
  await using other = await removeTracesOf('running')
  assert.deepEqual([other.child.signalCode, existsSync(other.folder), other.setting], [null, true, 'after'])
  assert.deepEqual(other.messages, [])
})
