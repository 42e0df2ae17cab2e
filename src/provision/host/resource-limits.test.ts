import assert from 'node:assert/strict'
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { runningIntern } from '#test/harness/interns/interns.ts'
import { startTestService } from '#test/harness/service/service.ts'
import { until } from '#test/harness/until.ts'
import { emptyLongLog } from './resource-limits.ts'

const limited = (intern_log_bytes: number) => ({
  intern_processes: 0,
  intern_memory_bytes: 0,
  intern_disk_bytes: 0,
  intern_log_bytes,
})

function newHome() {
  const home = mkdtempSync(join(tmpdir(), 'signalbox-log-'))
  return { home, log: join(home, 'daemon.log'), [Symbol.dispose]: () => rmSync(home, { recursive: true }) }
}

test('emptyLongLog empties a log above the limit; later lines are at its start', () => {
  using fixture = newHome()
  const daemon = openSync(fixture.log, 'a')
  writeSync(daemon, 'x'.repeat(101))
  emptyLongLog(fixture.home, limited(100))
  writeSync(daemon, 'later\n')
  assert.equal(readFileSync(fixture.log, 'utf8'), 'later\n')
})

test('emptyLongLog leaves a log at the limit, and any log without a limit', () => {
  using fixture = newHome()
  writeFileSync(fixture.log, 'x'.repeat(100))
  for (const most of [100, 0]) emptyLongLog(fixture.home, limited(most))
  assert.equal(statSync(fixture.log).size, 100)
})

test('emptyLongLog does not create a log', () => {
  using fixture = newHome()
  emptyLongLog(fixture.home, limited(1))
  assert.equal(existsSync(fixture.log), false)
})

test('the log of a running intern is trimmed repeatedly while the intern runs', async () => {
  await using service = await startTestService({ settings: { intern_log_bytes: 1000 } })
  const { id } = await runningIntern(service)
  const log = join(service.testStore.settings.data_dir, 'interns', id, 'daemon.log')
  for (let times = 0; times < 2; times++) {
    appendFileSync(log, 'x'.repeat(2000))
    await until(() => statSync(log).size < 1000)
  }
  assert.equal((await service.ask('GET', `/interns/${id}`)).body.status, 'running')
})
