import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { killAll } from '../processes/kill-all.ts'
import { lackOfMemory, makeGroup, notHeldBy, putInto, removeGroup } from './control-group.ts'
import { roomForGroups, topOf } from './control-groups.ts'

const mounted = '30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate'
const beside = '35 24 0:30 / /sys/fs/cgroup/memory rw shared:9 - cgroup cgroup rw,memory'

test('what is ours to divide is the unit of systemd that we run in, wherever in it', () => {
  const folder = (own: string) => topOf(`0::${own}\n`, `${beside}\n${mounted}\n`)?.folder
  const unit = '/system.slice/signalbox.service'
  for (const below of ['', '/service', '/another/one']) assert.equal(folder(unit + below), `/sys/fs/cgroup${unit}`)
  const user = '/user.slice/user-1000.slice/user@1000.service/app.slice/signalbox.service'
  assert.equal(folder(`${user}/service`), `/sys/fs/cgroup${user}`)
})

test('or the root that a container sees, also when we have left it for a group of our own', () => {
  for (const own of ['/', '/service'])
    assert.deepEqual(topOf(`0::${own}\n`, mounted), { path: '/', folder: '/sys/fs/cgroup/' })
})

test('a part of the hierarchy that is mounted is found by what it is a part of', () => {
  const part = mounted.replace(' / /sys', ' /docker/1f /sys')
  assert.deepEqual(topOf('0::/docker/1f\n', part), { path: '/docker/1f', folder: '/sys/fs/cgroup' })
  assert.equal(topOf('0::/docker/1f2\n', part), undefined)
})

test('without version 2 there is nothing to divide', () => {
  assert.equal(topOf('4:memory:/user\n8:pids:/\n', beside), undefined)
  assert.equal(topOf('4:memory:/user\n0::/\n', beside), undefined)
})

const room = await roomForGroups(false, () => {})
const skip = room === undefined && 'these tests were given no control group (cgroup v2) to divide'
const resourceLimits = { intern_processes: 9, intern_memory_bytes: 10 ** 8, intern_disk_bytes: 7, intern_log_bytes: 8 }
const given = room === undefined ? '' : readFileSync(join(room, 'cgroup.subtree_control'), 'utf8')
const lacks = (name: string) => skip || (!given.includes(name) && `the control group given has no "${name}"`)
const nobody = { process: undefined, uid: undefined, mark: 'nobody-has-this' }

/** A shell that is in a group before it starts anything. @returns what it said when it is over. */
async function runIn(group: string, script: string): Promise<string> {
  const child = spawn('/bin/sh', ['-c', `read go; ${script}`], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, NODE: process.execPath },
  })
  putInto(group, child.pid!)
  child.stdin.end('go\n')
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk))
  await once(child, 'exit')
  return said
}

test('all in a group ends in one stroke, wherever it has gone, and the group with it', { skip }, async () => {
  const group = makeGroup(room!, { id: `test-${process.pid}` }, { ...resourceLimits, intern_processes: 0 })
  // It only starts another and exits, for ever; neither descent nor environment tells whose it is.
  const hop = `s='sleep 0.005; setsid env -i /bin/sh -c "$0" "$0" >&- 2>&- &'; setsid env -i /bin/sh -c "$s" "$s" >&- 2>&- &`
  await runIn(group, hop)
  await sleep(100)
  assert.match(readFileSync(join(group, 'cgroup.events'), 'utf8'), /populated 1/)
  await killAll({ ...nobody, group }, 60_000)
  assert.equal(existsSync(group), false)
})

test('the kernel gives a group no more processes than it may have', { skip: lacks('pids') }, async () => {
  const group = makeGroup(room!, { id: `test-pids-${process.pid}` }, { ...resourceLimits, intern_processes: 5 })
  const said = await runIn(group, 'for i in 1 2 3 4 5 6; do sleep 1000 >&- 2>&- & echo $i; done')
  assert.match(said, /^1\n2\n3\n4\n.*fork/)
  await killAll({ ...nobody, group }, 60_000)
})

test('and no more memory than it may hold, all together: what takes more is ended, and that is told', {
  skip: lacks('memory'),
}, async () => {
  const group = makeGroup(room!, { id: `test-memory-${process.pid}` }, { ...resourceLimits, intern_processes: 0 })
  assert.equal(lackOfMemory(group), '')
  const hold = 'head -c 70M /dev/zero | tail -c 60M | sleep 5'
  await runIn(group, `${hold} & ${hold} & wait`)
  assert.match(lackOfMemory(group), /all the memory it may hold/)
  assert.ok(Number(readFileSync(join(group, 'memory.peak'), 'utf8')) <= resourceLimits.intern_memory_bytes)
  await killAll({ ...nobody, group }, 60_000)
})

test('what the kernel holds by the group is not counted again', { skip }, () => {
  const group = makeGroup(room!, { id: `test-held-${process.pid}` }, resourceLimits)
  const held = (file: string) => existsSync(join(group, file))
  const left = notHeldBy(group, resourceLimits)
  assert.equal(left.intern_processes, held('pids.max') ? 0 : 9)
  assert.equal(left.intern_memory_bytes, held('memory.max') ? 0 : 10 ** 8)
  assert.equal(left.intern_disk_bytes, 7)
  removeGroup(group)
})

test('a group within a group goes with it, and one that is gone holds nobody up', { skip }, async () => {
  const group = makeGroup(room!, { id: `test-nested-${process.pid}` }, resourceLimits)
  mkdirSync(join(group, 'a', 'b'), { recursive: true })
  await killAll({ ...nobody, group }, 60_000)
  assert.equal(existsSync(group), false)
  await killAll({ ...nobody, group }, 60_000)
})

test('a unit of systemd is divided only where systemd says it was delegated, and no intern is to outlive it', {
  skip,
}, async () => {
  const unit = join(room!, `signalbox-test-${process.pid}.scope`)
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-systemctl-'))
  const look = (outlives: boolean) =>
    `import { roomForGroups } from './control-groups.ts'; console.log(await roomForGroups(${outlives}, console.log))`
  const answers: string[] = []
  for (const [says, outlives] of [
    ['yes', false],
    ['no', false],
    ['yes', true],
  ] as const) {
    mkdirSync(unit)
    writeFileSync(join(folder, 'systemctl'), `#!/bin/sh\necho "$@" > ${folder}/asked\necho ${says}\n`, { mode: 0o755 })
    const script = `PATH=${folder}:$PATH exec "$NODE" --input-type=module -e "${look(outlives)}"`
    answers.push((await runIn(unit, script)).trim())
    removeGroup(unit)
  }
  assert.deepEqual(answers, [unit, 'undefined', 'undefined'])
  assert.equal(readFileSync(join(folder, 'asked'), 'utf8'), `show --property=Delegate --value -- ${basename(unit)}\n`)
  rmSync(folder, { recursive: true })
})
