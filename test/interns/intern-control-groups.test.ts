import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { prepareParentGroup } from '#provision/host/parent-group.ts'
import { runningIntern, say } from '#test/harness/interns/interns.ts'
import { startTestService } from '#test/harness/service/service.ts'
import { until } from '#test/harness/until.ts'

const room = await prepareParentGroup(false, () => {})
const given = room ? readFileSync(join(room, 'cgroup.subtree_control'), 'utf8') : ''
const without = room === undefined && 'these tests were given no control group (cgroup v2) to divide'
const lacks = (name: string) => without || (!given.includes(name) && `the control group given has no "${name}"`)
const timeout = 600_000
const megabyte = 1024 ** 2

/** A service whose interns run as the user of the service: nothing else could hold them together. */
async function startGrouped(limits: object = {}) {
  const service = await startTestService({ settings: { intern_users_from: 0, ...limits } })
  const { id } = await runningIntern(service)
  const run = (command: string) => say(service, id, `run \`${command}\``, { approval_mode: 'self-drive' })
  const file = (name: string) => readFileSync(join(room!, `intern-${id}`, name), 'utf8')
  const status = async () => (await service.ask('GET', `/interns/${id}`)).body.status
  return Object.assign(service, { id, run, file, status })
}

test('a command and a suspended intern leave no process, even without environment', {
  skip: without,
  timeout,
}, async () => {
  await using service = await startGrouped()
  await service.run('env -i setsid /bin/sleep 3210 & sleep 0.2')
  const runs = () => processesCalled('/bin/sleep\x003210\x00')
  await until(() => runs() === 0)
  assert.equal((await service.ask('POST', `/interns/${service.id}/suspend`)).status, 200)
  assert.equal(runs(), 0)
  assert.equal(existsSync(join(room!, `intern-${service.id}`)), false)
})

test('the kernel limits an intern’s processes, and the intern continues', {
  skip: lacks('pids'),
  timeout,
}, async () => {
  await using service = await startGrouped({ intern_processes: 100 })
  const { text } = await service.run('for i in $(seq 100); do sleep 1000 & done; kill $(jobs -p)')
  assert.match(text, /Resource temporarily unavailable/)
  assert.ok(Number(service.file('pids.peak').trim()) <= 100)
  assert.equal(await service.status(), 'running')
})

test('the kernel limits the memory of an intern and ends the command only', {
  skip: lacks('memory'),
  timeout,
}, async () => {
  await using service = await startGrouped({ intern_memory_bytes: 400 * megabyte })
  await service.run('for i in 1 2 3 4; do head -c 200M /dev/zero | tail -c 190M | sleep 5 & done; wait')
  assert.match(service.file('memory.events'), /^oom_kill [1-9]/m)
  assert.ok(Number(service.file('memory.peak')) <= 400 * megabyte)
  assert.equal(await service.status(), 'running')
})

function processesCalled(command: string): number {
  return readdirSync('/proc').filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8') === command
    } catch {
      return false
    }
  }).length
}
