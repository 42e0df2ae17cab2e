import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { createLineWriter, createLog } from './log.ts'

function logOf(level = 'info') {
  const lines: string[] = []
  return { lines, log: createLog({ level, format: 'json' }, { write: (line: string) => void lines.push(line) }) }
}
const withoutTime = (line: string) => line.replace(/"time":\d+/, '"time":0')

test('createLineWriter writes the same line as the logger', () => {
  const { lines, log } = logOf()
  const facts = { requestId: 'r\n"1"', none: undefined, much: 1.5, not: null, inner: [{ a: 'ü' }], no: Number.NaN }
  for (const one of [facts, {}]) {
    log.info(one, 'said')
    createLineWriter(log, 'said')(one)
  }
  const [logged, plain, loggedEmpty, plainEmpty] = lines.map(withoutTime)
  assert.deepEqual([plain, plainEmpty], [logged, loggedEmpty])
  assert.match(lines[1]!, /"time":\d{13},/)
})

test('createLineWriter masks keys of this service in any case of letters', () => {
  const { lines, log } = logOf()
  const key = `sb-v1-${'ab'.repeat(32)}`
  for (const one of [key, key.toUpperCase()]) createLineWriter(log, 'said')({ model: `x${one}y` })
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).model),
    ['xsb-v1-[secret]y', 'xsb-v1-[secret]y'],
  )
})

test('createLineWriter writes nothing at the level warn', () => {
  const { lines, log } = logOf('warn')
  createLineWriter(log, 'said')({ a: 1 })
  assert.deepEqual(lines, [])
})

test('every line is written once, however the process ends', async () => {
  for (const end of ['', 'process.exit(0)', "throw new Error('x')"]) {
    const script = `const { createLog } = await import('./src/platform/process/log.ts')
      const log = createLog({ level: 'info', format: 'json' })
      for (let at = 0; at < 500; at++) log.info({ at }, 'line')
      ${end}`
    const { stderr } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]).catch(
      (failed: { stderr: string }) => failed,
    )
    const results = stderr.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line).at] : []))
    assert.deepEqual(results, [...Array(500).keys()], end)
  }
})

test('a process ends although nobody reads its log any more', async () => {
  const script = `const { createLog } = await import('./src/platform/process/log.ts')
    process.stdin.once('end', () => {
      createLog({ level: 'info', format: 'json' }).info('the last line')
      process.exit(3)
    }).resume()`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['pipe', 'ignore', 'pipe'] })
  child.stderr.destroy()
  child.stdin.end()
  const timeout = setTimeout(() => child.kill('SIGKILL'), 60_000)
  assert.deepEqual(await once(child, 'exit'), [3, null])
  clearTimeout(timeout)
})
