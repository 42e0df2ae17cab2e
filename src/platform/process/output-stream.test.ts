import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

/** Logs more than a pipe takes, in two formats, reports how long the event loop was blocked, and ends. */
const script = (format: string) => `
  const { createLog } = await import('./src/platform/process/log.ts')
  const log = createLog({ level: 'info', format: '${format}' })
  let at = performance.now(), longest = 0
  const check = setInterval(() => {
    longest = Math.max(longest, performance.now() - at)
    at = performance.now()
    for (let count = 0; count < 100; count++) log.info({ text: 'x'.repeat(1000) }, 'line')
  }, 20)
  process.on('exit', () => process.send({ longest, endedAt: Date.now() }))
  setTimeout(() => process.exit(3), 600)`

async function runLogging(format: string, output: number | 'pipe') {
  const child = spawn(process.execPath, ['--input-type=module', '-e', script(format)], {
    stdio: ['ignore', output, output, 'ipc'],
  })
  const timeout = setTimeout(() => child.kill('SIGKILL'), 60_000)
  const exited = once(child, 'exit')
  const [{ longest, endedAt }] = (await Promise.race([once(child, 'message'), exited.then(() => [{}])])) as any[]
  const [code] = await exited
  clearTimeout(timeout)
  return { code, longest, exitMs: Date.now() - endedAt }
}

test('nothing waits for a pipe or socket without a reader, nor for a full disk', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'output-'))
  const path = join(folder, 'pipe')
  execFileSync('mkfifo', [path])
  const pipe = openSync(path, constants.O_RDWR)
  const full = openSync('/dev/full', 'w')
  for (const format of ['json', 'pretty'])
    for (const output of [pipe, full, 'pipe'] as const) {
      const { code, longest, exitMs } = await runLogging(format, output)
      const where = `${format} to ${output === full ? 'a full disk' : output === pipe ? 'a pipe' : 'a socket'}`
      assert.equal(code, 3, where)
      assert.ok(longest < 5000 && exitMs < 5000, `${where}: ${longest} ms, ${exitMs} ms`)
    }
  closeSync(pipe)
  closeSync(full)
  rmSync(folder, { recursive: true })
})

test('a reader that starts late gets whole lines in order', async () => {
  const source = `
    const { OutputStream } = await import('./src/platform/process/output-stream.ts')
    const output = new OutputStream(1)
    for (let at = 0; at < 20_000; at++) output.write(at + ' ' + 'x'.repeat(100) + '\\n')
    setTimeout(() => {}, 2000)`
  const child = spawn('sh', ['-c', '"$0" --input-type=module -e "$1" | (sleep 0.5; cat)', process.execPath, source])
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (piece) => (text += piece))
  await once(child, 'close')
  assert.deepEqual(
    text
      .trimEnd()
      .split('\n')
      .map((line) => Number(line.split(' ')[0])),
    [...Array(20_000).keys()],
  )
})
