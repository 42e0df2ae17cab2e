import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { killAll } from '../processes/kill-all.ts'
import {
  addToGroup,
  createInternGroup,
  describeOutOfMemory,
  removeGroup,
  selectLimitsOutsideGroup,
} from './control-group.ts'
import { findServiceGroup, prepareParentGroup } from './parent-group.ts'

const mounted = '30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate'
const beside = '35 24 0:30 / /sys/fs/cgroup/memory rw shared:9 - cgroup cgroup rw,memory'

test('the top group is the unit of systemd, from any group in it', () => {
  const folder = (own: string) => findServiceGroup(`0::${own}\n`, `${beside}\n${mounted}\n`)?.folder
  const unit = '/system.slice/signalbox.service'
  for (const below of ['', '/service', '/another/one']) assert.equal(folder(unit + below), `/sys/fs/cgroup${unit}`)
  const user = '/user.slice/user-1000.slice/user@1000.service/app.slice/signalbox.service'
  assert.equal(folder(`${user}/service`), `/sys/fs/cgroup${user}`)
})

test('the top group in a container is its root, also from the group of the server', () => {
  for (const own of ['/', '/service'])
    assert.deepEqual(findServiceGroup(`0::${own}\n`, mounted), { path: '/', folder: '/sys/fs/cgroup/' })
})

test('a mounted part of the hierarchy is found by its root', () => {
  const part = mounted.replace(' / /sys', ' /docker/1f /sys')
  assert.deepEqual(findServiceGroup('0::/docker/1f\n', part), { path: '/docker/1f', folder: '/sys/fs/cgroup' })
  assert.equal(findServiceGroup('0::/docker/1f2\n', part), undefined)
})

test('a host without cgroup v2 has no top group', () => {
  assert.equal(findServiceGroup('4:memory:/user\n8:pids:/\n', beside), undefined)
  assert.equal(findServiceGroup('4:memory:/user\n0::/\n', beside), undefined)
})

const parent = await prepareParentGroup(false, () => {})
const skip = parent === undefined && 'these tests need a control group (cgroup v2) that they can divide'
const resourceLimits = { intern_processes: 9, intern_memory_bytes: 10 ** 8, intern_disk_bytes: 7, intern_log_bytes: 8 }
const controllers = parent === undefined ? '' : readFileSync(join(parent, 'cgroup.subtree_control'), 'utf8')
const lacks = (name: string) => skip || (!controllers.includes(name) && `the control group has no controller "${name}"`)
const nobody = { process: undefined, uid: undefined, mark: 'nobody-has-this' }

/** Runs a script in a shell that is in the group before it starts a process. @returns its output. */
async function runIn(group: string, script: string): Promise<string> {
  const child = spawn('/bin/sh', ['-c', `read go; ${script}`], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, NODE: process.execPath },
  })
  addToGroup(group, child.pid!)
  child.stdin.end('go\n')
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  await once(child, 'exit')
  return output
}

test('killAll ends all processes of a group, and removes the group', { skip }, async () => {
  const group = createInternGroup(parent!, { id: `test-${process.pid}` }, { ...resourceLimits, intern_processes: 0 })
  // Each process starts another and exits; neither parent nor environment identifies it.
  const hop = `s='sleep 0.005; setsid env -i /bin/sh -c "$0" "$0" >&- 2>&- &'; setsid env -i /bin/sh -c "$s" "$s" >&- 2>&- &`
  await runIn(group, hop)
  await sleep(100)
  assert.match(readFileSync(join(group, 'cgroup.events'), 'utf8'), /populated 1/)
  await killAll({ ...nobody, group }, 60_000)
  assert.equal(existsSync(group), false)
})

test('the kernel enforces the number of processes of a group', { skip: lacks('pids') }, async () => {
  const group = createInternGroup(
    parent!,
    { id: `test-pids-${process.pid}` },
    { ...resourceLimits, intern_processes: 5 },
  )
  const output = await runIn(group, 'for i in 1 2 3 4 5 6; do sleep 1000 >&- 2>&- & echo $i; done')
  assert.match(output, /^1\n2\n3\n4\n.*fork/)
  await killAll({ ...nobody, group }, 60_000)
})

test('the kernel ends a process above the memory limit, with a note', {
  skip: lacks('memory'),
}, async () => {
  const group = createInternGroup(
    parent!,
    { id: `test-memory-${process.pid}` },
    { ...resourceLimits, intern_processes: 0 },
  )
  assert.equal(describeOutOfMemory(group), '')
  const hold = 'head -c 70M /dev/zero | tail -c 60M | sleep 5'
  await runIn(group, `${hold} & ${hold} & wait`)
  assert.match(describeOutOfMemory(group), /used all of its memory/)
  assert.ok(Number(readFileSync(join(group, 'memory.peak'), 'utf8')) <= resourceLimits.intern_memory_bytes)
  await killAll({ ...nobody, group }, 60_000)
})

test('limits that the kernel enforces for the group are not counted again', { skip }, () => {
  const group = createInternGroup(parent!, { id: `test-held-${process.pid}` }, resourceLimits)
  const isEnforced = (file: string) => existsSync(join(group, file))
  const rest = selectLimitsOutsideGroup(group, resourceLimits)
  assert.equal(rest.intern_processes, isEnforced('pids.max') ? 0 : 9)
  assert.equal(rest.intern_memory_bytes, isEnforced('memory.max') ? 0 : 10 ** 8)
  assert.equal(rest.intern_disk_bytes, 7)
  removeGroup(group)
})

test('killAll removes nested groups, and accepts a group that does not exist', { skip }, async () => {
  const group = createInternGroup(parent!, { id: `test-nested-${process.pid}` }, resourceLimits)
  mkdirSync(join(group, 'a', 'b'), { recursive: true })
  await killAll({ ...nobody, group }, 60_000)
  assert.equal(existsSync(group), false)
  await killAll({ ...nobody, group }, 60_000)
})

test('a unit of systemd is divided only if it is delegated and no intern outlives it', {
  skip,
}, async () => {
  const unit = join(parent!, `signalbox-test-${process.pid}.scope`)
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-systemctl-'))
  const look = (outlives: boolean) =>
    `import { prepareParentGroup } from '#provision/host/parent-group.ts'; console.log(await prepareParentGroup(${outlives}, console.log))`
  const responses: string[] = []
  for (const [says, outlives] of [
    ['yes', false],
    ['no', false],
    ['yes', true],
  ] as const) {
    mkdirSync(unit)
    writeFileSync(join(folder, 'systemctl'), `#!/bin/sh\necho "$@" > ${folder}/asked\necho ${says}\n`, { mode: 0o755 })
    const script = `PATH=${folder}:$PATH exec "$NODE" --input-type=module -e "${look(outlives)}"`
    responses.push((await runIn(unit, script)).trim())
    removeGroup(unit)
  }
  assert.deepEqual(responses, [unit, 'undefined', 'undefined'])
  assert.equal(readFileSync(join(folder, 'asked'), 'utf8'), `show --property=Delegate --value -- ${basename(unit)}\n`)
  rmSync(folder, { recursive: true })
})
