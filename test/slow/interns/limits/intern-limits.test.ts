import assert from 'node:assert/strict'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { daemonPid, isRunning, runningIntern, trySay, untilIntern } from '#test/harness/interns/interns.ts'
import { startTestService, type TestService } from '#test/harness/service/service.ts'
import { until } from '#test/harness/until.ts'

const isRoot = process.getuid?.() === 0
const patienceMs = 120_000
const megabyte = 1024 ** 2

/** A service whose interns have this memory limit, and an intern that runs the given commands. */
async function startLimited(limits: object) {
  const service = await startTestService({ settings: limits })
  const { id } = await runningIntern(service)
  const run = (command: string) => trySay(service, id, `run \`${command}\``, { approval_mode: 'self-drive' })
  const workspace = join(service.testStore.settings.data_dir, 'interns', id, 'workspace')
  /** Repeats until the service ends: the termination for excessive memory can interrupt it. */
  const insist = async (command: string) => {
    while (await run(command).catch(() => undefined)) await sleep(500)
  }
  return Object.assign(service, { id, run, insist, workspace })
}

async function endedFor(service: TestService & { id: string }, why: RegExp) {
  const failed = await until(async () => {
    const { body } = await service.ask('GET', `/interns/${service.id}`)
    return why.test(body.last_failure_message ?? '') && body
  }, patienceMs)
  return failed.last_failure_message as string
}

/** Each process starts the next and exits, in a separate session. It ends when its script is removed. */
const hop = 'echo >> beat; sleep 0.005; [ -e hop.sh ] && setsid /bin/sh hop.sh &'
const startHopping = `echo '${hop}' > hop.sh; setsid /bin/sh hop.sh; sleep 1`

for (const users of isRoot ? ['its own', 'ours'] : ['ours']) {
  const settings = users === 'ours' ? { intern_users_from: 0 } : {}

  describe(`an intern whose user is ${users}`, () => {
    for (const verb of ['suspend', 'delete']) {
      test(`leaves nothing that only forks and exits behind: ${verb}`, { timeout: 900_000 }, async () => {
        await using service = await startLimited(settings)
        const beat = join(service.workspace, 'beat')
        await service.run(startHopping)
        await until(() => existsSync(beat) && statSync(beat).size > 20, patienceMs)
        const path = `/interns/${service.id}`
        if (verb === 'suspend') {
          assert.equal((await service.ask('POST', `${path}/suspend`)).status, 200)
          const { size } = statSync(beat)
          await sleep(500)
          assert.equal(statSync(beat).size, size)
        } else {
          await service.ask('DELETE', path)
          await until(async () => (await service.ask('GET', path)).status === 404, patienceMs)
          assert.equal(existsSync(service.workspace), false)
        }
      })
    }

    test('has a memory limit over all processes', { timeout: 900_000 }, async () => {
      await using service = await startLimited({ ...settings, intern_memory_bytes: 500 * megabyte })
      const pid = daemonPid(service.testStore.settings.data_dir, service.id)
      void service.insist('for i in 1 2 3 4; do head -c 200M /dev/zero | tail -c 190M | sleep 1000 & done; wait')
      assert.match(await endedFor(service, /memory/), /^It used \d+ MiB of memory; at most 500 MiB are allowed/)
      assert.equal(isRunning(pid), false)
    })

    test('has a disk limit, and is not restarted above it', {
      timeout: 900_000,
    }, async () => {
      await using service = await startLimited({ ...settings, intern_disk_bytes: 30 * megabyte })
      void service.insist('for i in 1 2; do head -c 20M /dev/urandom > big$i; done; sleep 1000')
      const why = /^Its files use \d+ MiB; at most 30 MiB are allowed/
      assert.match(await endedFor(service, /files/), why)
      await untilIntern(service, service.id, 'failed', patienceMs)
      assert.equal(statSync(join(service.workspace, 'big1')).size, 20 * megabyte)
    })
  })
}

test('where its user is its own, the kernel gives it no more processes', {
  skip: !isRoot && 'only root has users to give',
  timeout: 900_000,
}, async () => {
  await using service = await startLimited({ intern_processes: 100 })
  const { text } = await service.run('for i in $(seq 100); do sleep 1000 & done; kill $(jobs -p)')
  assert.match(text, /Resource temporarily unavailable/)
})

test('else it is ended when it has more', { timeout: 900_000 }, async () => {
  await using service = await startLimited({ intern_users_from: 0, intern_processes: 100 })
  void service.insist('for i in $(seq 100); do sleep 1000 & done; wait')
  assert.match(await endedFor(service, /processes/), /^It had \d+ processes and threads; at most 100 are allowed/)
})
