import assert from 'node:assert/strict'
import { chownSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { newFolder, realShell } from '#test/harness/agent.ts'
import { whyNoSandbox } from './sandbox.ts'

const options = { program: 'bwrap', node: process.execPath, readable: [] }
const never = new AbortController().signal
const workspace = await newFolder()
const missing = await whyNoSandbox(workspace.path, options)
if (missing) console.log(`The escapes from the sandbox are NOT tried, because there is none: ${missing}`)

/**
 * Each process makes two more, for eight generations: at most 511, each gone after two seconds. A sandbox that holds
 * nothing must not take the machine down with it, so no test ever plants a bomb without an end.
 */
const smallBomb = 'bomb() { if [ $1 -gt 0 ]; then bomb $(($1 - 1)) & bomb $(($1 - 1)) & fi; sleep 2; }; bomb 8'

/** Runs a script in the sandbox. */
async function inside(script: string, limits = {}) {
  const { end, output } = await realShell(limits).run(script, {
    workspace: workspace.path,
    sandbox: true,
    timeoutMs: 10_000,
    signal: never,
  })
  return { end, output }
}

/** A unix socket of the host that would answer. */
async function listen(folder: string) {
  const own = mkdtempSync(join(folder, 'socket-'))
  const path = join(own, 's')
  const server = createServer((socket) => socket.end('reached')).listen(path)
  return { path, close: () => server.close(() => rmSync(own, { recursive: true })) }
}

describe('in the sandbox', { skip: missing ?? false }, () => {
  after(() => workspace[Symbol.asyncDispose]())

  test('the workspace can be written, with its own owner outside', async () => {
    await inside('echo made > here.txt')
    assert.equal(readFileSync(join(workspace.path, 'here.txt'), 'utf8'), 'made\n')
  })

  test('nothing else can be written, and /tmp is not the host’s', async () => {
    const outside = join(tmpdir(), `escape-${process.pid}`)
    const { output } = await inside(
      `for p in /x /usr/x /etc/x /dev/x /opt/x /home ${outside}; do echo > $p && echo "wrote $p"; done`,
    )
    assert.deepEqual(output.match(/wrote .*/g), [`wrote ${outside}`])
    assert.ok(!existsSync(outside))
  })

  test('files of the host outside the system’s programs are not there', async () => {
    const secret = join(homedir(), `.signalbox-secret-${process.pid}`)
    writeFileSync(secret, 'secret')
    const { output } = await inside(
      `cat ${secret} /etc/shadow /etc/hostname /root/.bashrc; ls /home /root /var /run /sys`,
    )
    rmSync(secret)
    assert.doesNotMatch(output, /secret$|root:/m)
    assert.equal(output.match(/No such file or directory/g)?.length, 9)
  })

  test('what is read-only cannot be made writable', async () => {
    const { output } = await inside(
      'mount -o remount,bind,rw / ; mount -o remount,rw /usr; mount -t tmpfs x /mnt; umount /proc; touch /usr/x',
    )
    assert.match(output, /Read-only file system/)
    assert.ok(!existsSync('/usr/x'))
  })

  test('no new namespaces can be made', async () => {
    const { end } = await inside('unshare --user true')
    assert.notDeepEqual(end, { how: 'exited', code: 0 })
  })

  test('each process has limits of its own', async () => {
    const { output } = await inside('ulimit -u; ulimit -n; ulimit -f; ulimit -d; ulimit -c; ulimit -t')
    assert.equal(output, '512\n4096\n2097152\n4194304\n0\n40\n')
  })

  test('there are no capabilities, and none can be gained', async () => {
    const { output } = await inside('grep -E "^(CapEff|CapPrm|CapBnd|NoNewPrivs)" /proc/self/status')
    assert.deepEqual(output.match(/[0-9a-f]+$/gm), ['0000000000000000', '0000000000000000', '0000000000000000', '1'])
  })

  test('the kernel’s settings cannot be written, not even by a daemon that runs as root', async () => {
    const before = readFileSync('/proc/sys/kernel/core_pattern', 'utf8')
    const { output } = await inside('echo "|/bin/false" > /proc/sys/kernel/core_pattern')
    assert.match(output, /Read-only file system|Permission denied/)
    assert.equal(readFileSync('/proc/sys/kernel/core_pattern', 'utf8'), before)
  })

  test('no other process is seen, and not the environment of any that is', async () => {
    const { output } = await inside(
      `cat /proc/*/environ | tr '\\0' '\\n'; ls -d /proc/[0-9]* | wc -l; kill -0 ${process.pid}`,
    )
    assert.match(output, /No such process/)
    assert.doesNotMatch(output, /TEST_DATABASE_URL|NODE_COMPILE_CACHE|npm_/)
    assert.ok(Number(output.match(/^\d+$/m)?.[0]) < 10)
  })

  test('there is no network, loopback included', async () => {
    const server = createServer((socket) => socket.end('reached')).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as { port: number }
    const { output } = await inside(
      `exec 3<>/dev/tcp/127.0.0.1/${port} && cat <&3; exec 4<>/dev/tcp/1.1.1.1/80; cat /proc/net/dev`,
    )
    server.close()
    assert.doesNotMatch(output, /reached|eth|ens/)
    assert.match(output, /unreachable|refused/)
  })

  for (const folder of [tmpdir(), homedir()]) {
    test(`a unix socket in ${folder} cannot be reached`, async () => {
      const socket = await listen(folder)
      const { output } = await inside(
        `ls ${socket.path}; /opt/signalbox/bin/node -e 'require("net").connect("${socket.path}").on("data", d => console.log(String(d))).on("error", e => console.log(e.code))'`,
      )
      socket.close()
      assert.match(output, /ENOENT/)
      assert.doesNotMatch(output, /reached/)
    })
  }

  test('a fork bomb is ended when it has more processes than it may', async () => {
    await using own = await newFolder()
    const program = bubblewrapAsNobody(own.path)
    const { end } = await realShell({ processes: 300 }, program).run(smallBomb, {
      workspace: own.path,
      sandbox: true,
      timeoutMs: 10_000,
      signal: never,
    })
    assert.deepEqual(end, { how: 'stopped', why: 'processes' })
  })

  test('even unwatched, commands get no more processes than the kernel is told', async () => {
    await using own = await newFolder()
    const program = bubblewrapAsNobody(own.path)
    const { output } = await realShell({ processes: 10_000 }, program).run('for i in $(seq 550); do sleep 60 & done', {
      workspace: own.path,
      sandbox: true,
      timeoutMs: 60_000,
      signal: never,
    })
    assert.match(output, /fork: .*Resource temporarily unavailable/)
  })

  test('too many processes are ended', async () => {
    const { end } = await inside('for i in $(seq 60); do sleep 9 & done; wait', { processes: 50 })
    assert.deepEqual(end, { how: 'stopped', why: 'processes' })
  })

  test('memory is limited, in one process and in all of them', async () => {
    const { end } = await inside('head -c 400M /dev/zero | tail -c 390M | wc -c; sleep 5', {
      memoryBytes: 200 * 1024 ** 2,
    })
    assert.deepEqual(end, { how: 'stopped', why: 'memory' })
  })

  test('endless output is stopped, and of a long one the beginning and the end are kept', async () => {
    assert.deepEqual((await inside('yes', { outputBytes: 1_000_000 })).end, { how: 'stopped', why: 'output' })
    const { output } = await inside('echo first; head -c 200000 /dev/zero | tr "\\0" x; echo; echo last')
    assert.match(output, /^first\n.*bytes left out.*last\n$/s)
    assert.ok(output.length < 40_000)
  })

  test('what is left behind in the background ends with the command', async () => {
    const mark = `sleep 98${process.pid}`
    await inside(`setsid ${mark} & ${mark} & echo started`)
    assert.ok(!(await running(mark)))
  })

  test('a command that takes too long is killed with all it started', async () => {
    const mark = `sleep 97${process.pid}`
    const { end } = await realShell({ timeoutMs: 300 }).run(`(${mark} &) ; ${mark}`, {
      workspace: workspace.path,
      sandbox: true,
      timeoutMs: 300,
      signal: never,
    })
    assert.deepEqual(end, { how: 'stopped', why: 'timeout' })
    assert.ok(!(await running(mark)))
  })
})

test('without bubblewrap there is a reason and a remedy, and no command runs', async () => {
  const why = await whyNoSandbox(tmpdir(), { ...options, program: '/nonexistent/bwrap' })
  assert.match(why ?? '', /not installed.*apt-get install bubblewrap/)
})

/** The kernel counts no processes for root, so root tries a fork bomb as somebody else. */
function bubblewrapAsNobody(workspace: string): string {
  if (process.getuid?.() !== 0) return 'bwrap'
  chownSync(workspace, 65534, 65534)
  const program = join(workspace, 'bwrap')
  writeFileSync(program, '#!/bin/sh\nexec setpriv --reuid 65534 --regid 65534 --clear-groups bwrap "$@"\n', {
    mode: 0o755,
  })
  return program
}

/** Whether a process with these words on its command line is there, after a moment to be gone. */
async function running(words: string): Promise<boolean> {
  const { readdirSync } = await import('node:fs')
  for (let tries = 0; tries < 20; tries++) {
    const found = readdirSync('/proc').some((pid) => {
      try {
        return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim() === words
      } catch {
        return false
      }
    })
    if (!found) return false
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return true
}
