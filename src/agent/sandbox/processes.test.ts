import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { modelWithResponses, newAgent, realShell } from '#test/harness/interns/scripted-agent.ts'
import { until } from '#test/harness/until.ts'
import { Processes } from './processes.ts'
import type { Shell } from './shell.ts'

const missing = await realShell().sandboxError('/tmp')
const settings = { model: 'm', instructions: () => '', maxSteps: 50 }

async function calling(calls: [name: string, input: object][], more: object = {}) {
  const script = calls.map(([name, input]) => [{ name, arguments: JSON.stringify(input) }])
  const { model, requests } = modelWithResponses([...script, 'done'])
  const at = await newAgent({ model, settings, ...more })
  await at.prompt('go')
  return Object.assign(at, { requests })
}
const start = (command: string): [string, object] => ['start_process', { command }]
const read = (wait_seconds = 60): [string, object] => ['read_process', { process: 'p1', wait_seconds }]
const stop: [string, object] = ['stop_process', { process: 'p1' }]

for (const mode of ['manual', 'self-drive'] as const)
  describe(`a process in ${mode}`, { skip: mode === 'manual' && (missing ?? false) }, () => {
    test('runs during other tool calls, is read in pieces, and is stopped', async () => {
      const counts = start('echo started >&2; while [ ! -e go ]; do sleep 0.05; done; echo went; sleep 600')
      const go: [string, object] = ['write_file', { path: 'go', content: '' }]
      await using at = await calling([counts, read(), go, read(), stop, read(0)], { mode })
      const [started, first, , second, last, after] = at.results()
      assert.match(started ?? '', /^Started as p1/)
      assert.equal(first, 'started\n[p1 is running]')
      assert.equal(second, 'went\n[p1 is running]')
      assert.equal(last, '(nothing new)\n[p1 was stopped]')
      assert.equal(after, last)
      assert.deepEqual(at.operations(), mode === 'manual' ? ['shell'] : [])
    })

    test('that ends reports its exit status', async () => {
      await using at = await calling([start('echo out; exit 3'), ['shell', { command: 'sleep 1' }], read()], { mode })
      assert.equal(at.results()[2], 'out\n[p1 ended with exit code 3]')
    })

    test('ends with its session, and with the agent', async () => {
      const mark = `600.${process.pid}`
      for (const end of ['session', 'agent']) {
        const at = await calling([start(`sleep ${mark} & sleep ${mark}`)], { mode })
        await until(() => sleepers(mark) >= 2)
        if (end === 'session') await at.agent.request('session/close', { sessionId: at.sessionId })
        await at[Symbol.asyncDispose]()
        await until(() => sleepers(mark) === 0)
      }
    })
  })

test('a process whose turn is cancelled while it starts is ended or not started', async () => {
  const mark = `601.${process.pid}`
  const turn = new AbortController()
  const shell = realShell()
  const slowShell: Shell = {
    ...{ sandboxFallback: shell.sandboxFallback, readable: [], run: shell.run, sandboxError: shell.sandboxError },
    start: async (script, options) => {
      const running = await shell.start(script, options)
      turn.abort(new Error('cancelled'))
      return running
    },
  }
  const processes = new Processes()
  const options = { workspace: tmpdir(), sandbox: false, signal: turn.signal }
  for (const attempt of ['started', 'cancelled before']) {
    await assert.rejects(processes.start(slowShell, `sleep ${mark}`, options), /^Error: cancelled$/, attempt)
    await until(() => sleepers(mark) === 0)
  }
  await processes.stopAll()
})

test('a process that is not allowed is not started', async () => {
  await using at = await calling([start('echo > made')], { permission: () => 'reject_once' })
  assert.match(at.results()[0] ?? '', /It was not run/)
  await assert.rejects(readFile(join(at.workspace, 'made')), { code: 'ENOENT' })
})

test('a ninth process is refused, and an unknown one is reported', async () => {
  const nine = Array.from({ length: 9 }, () => start('sleep 600'))
  await using at = await calling([...nine, ['read_process', { process: 'p9' }]], { mode: 'self-drive' })
  assert.match(at.results()[8] ?? '', /^Error: 8 processes are already running: p1 \(sleep 600\), /)
  assert.match(at.results()[9] ?? '', /^Error: Process p9 not found; existing processes: p1 \(sleep 600\)/)
})

test('the output of a flooding process is bounded, and it continues', async () => {
  const flood = start('head -c 80000000 /dev/zero | tr "\\0" x; echo; echo end; sleep 600')
  await using at = await calling([flood, ['shell', { command: 'sleep 4' }], read()], { mode: 'self-drive' })
  const text = at.results()[2] ?? ''
  assert.ok(text.length < 40_000)
  assert.match(text, /bytes omitted.*\[p1 is running\]$/s)
})

/** Counts the processes of this machine that sleep for this time. */
function sleepers(time: string): number {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8') === `sleep\0${time}\0`
    } catch {
      return false
    }
  }).length
}
