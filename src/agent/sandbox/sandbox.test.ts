import assert from 'node:assert/strict'
import { chownSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { missingSandbox, newFolder, realShell, sandboxMethods } from '#test/harness/interns/scripted-agent.ts'
import type { SandboxOptions } from './sandbox-contents.ts'

const never = new AbortController().signal
const workspace = await newFolder()
/**
 * Each process starts two more, for eight generations: at most 511, each of which ends after two seconds. All fork
 * bombs in tests are finite, because a broken sandbox must not take the machine down.
 */
const smallBomb = 'bomb() { if [ $1 -gt 0 ]; then bomb $(($1 - 1)) & bomb $(($1 - 1)) & fi; sleep 2; }; bomb 8'

/** A Unix socket of the host that accepts connections. */
async function listen(folder: string) {
  const own = mkdtempSync(join(folder, 'socket-'))
  const path = join(own, 's')
  const server = createServer((socket) => socket.end('reached')).listen(path)
  return { path, close: () => server.close(() => rmSync(own, { recursive: true })) }
}

after(() => workspace[Symbol.asyncDispose]())

/**
 * Tries all methods before the first test, because the test runner would end without any test, and the workspace would
 * be removed.
 */
const methods = await Promise.all(
  Object.entries(sandboxMethods).map(async ([name, sandbox]) => {
    return { name, sandbox, missing: await realShell({}, sandbox).sandboxError(workspace.path) }
  }),
)

for (const { name, sandbox, missing } of methods) {
  if (missing) console.log(`The escapes from the sandbox of ${name} are NOT tried, because there is none: ${missing}`)

  /** Runs a script in the sandbox. */
  const inside = async (script: string, limits = {}) => {
    const { end, output } = await realShell(limits, sandbox).run(script, {
      workspace: workspace.path,
      sandbox: true,
      timeoutMs: 120_000,
      signal: never,
    })
    return { end, output }
  }

  describe(`in the sandbox of ${name}`, { skip: missing ?? false }, () => {
    test('the workspace can be written, and the host sees the file', async () => {
      await inside('echo made > here.txt')
      assert.equal(readFileSync(join(workspace.path, 'here.txt'), 'utf8'), 'made\n')
    })

    test('programs find the trusted CA certificates that the agent has', async () => {
      const file = join(workspace.path, 'ca.pem')
      writeFileSync(file, 'PEM')
      const shell = realShell({}, { ...sandbox, caFile: file })
      const script = 'cat "$NODE_EXTRA_CA_CERTS" "$GIT_SSL_CAINFO" "$SSL_CERT_FILE"'
      const options = { workspace: workspace.path, sandbox: true, timeoutMs: 120_000, signal: never }
      assert.equal((await shell.run(script, options)).output, 'PEMPEMPEM')
    })

    test('git has the default author of the agent', async () => {
      const gitConfig = join(workspace.path, 'gitconfig')
      writeFileSync(gitConfig, '[user]\n\tname = Ada\n\temail = ada@example.com\n')
      const shell = realShell({}, { ...sandbox, gitConfig })
      const script = 'cd $(mktemp -d) && git init -q . && git commit -q --allow-empty -m x && git log --format=%an'
      const options = { workspace: workspace.path, sandbox: true, timeoutMs: 120_000, signal: never }
      assert.equal((await shell.run(script, options)).output, 'Ada\n')
    })

    test('nothing else can be written, and /tmp is not the host’s', async () => {
      const outside = join(tmpdir(), `escape-${process.pid}`)
      const { output } = await inside(
        `for p in /x /usr/x /etc/x /dev/x /opt/x /home ${outside}; do echo > $p && echo "wrote $p"; done`,
      )
      assert.deepEqual(output.match(/wrote .*/g), [`wrote ${outside}`])
      assert.ok(!existsSync(outside))
    })

    test('a command sees no files of the host except the programs of the system', async () => {
      const secret = join(homedir(), `.signalbox-secret-${process.pid}`)
      writeFileSync(secret, 'secret')
      const { output } = await inside(
        `cat ${secret} /etc/shadow /etc/hostname /root/.bashrc; ls /home /root /var /run /sys`,
      )
      rmSync(secret)
      assert.doesNotMatch(output, /secret$|root:/m)
      assert.equal(output.match(/No such file or directory/g)?.length, 9)
    })

    test('private keys of the host are hidden, and its certificates are not', {
      skip: !existsSync('/etc/ssl/certs'),
    }, async () => {
      const { output } = await inside('ls /etc/ssl; ls /etc/pki /etc/pki/tls; ls /etc/ssl/certs | head -1')
      assert.match(output, /^certs$/m)
      assert.doesNotMatch(output, /private|entitlement|consumer/)
    })

    test('a read-only path cannot become writable', async () => {
      const { output } = await inside(
        'mount -o remount,bind,rw / ; mount -o remount,rw /usr; mount -t tmpfs x /mnt; umount /proc; touch /usr/x',
      )
      assert.match(output, /Read-only file system/)
      assert.ok(!existsSync('/usr/x'))
    })

    test('new namespaces cannot be created', async () => {
      const { end } = await inside('unshare --user true')
      assert.notDeepEqual(end, { kind: 'exited', code: 0 })
    })

    test('each process has separate limits', async () => {
      // The processor time is four times the time limit of `inside`.
      const { output } = await inside('ulimit -u; ulimit -n; ulimit -f; ulimit -d; ulimit -c; ulimit -t')
      assert.equal(output, '512\n4096\n2097152\n4194304\n0\n480\n')
    })

    test('a command has no capabilities and cannot gain any', async () => {
      const { output } = await inside('grep -E "^(CapEff|CapPrm|CapBnd|NoNewPrivs)" /proc/self/status')
      assert.deepEqual(output.match(/[0-9a-f]+$/gm), ['0000000000000000', '0000000000000000', '0000000000000000', '1'])
    })

    test('a command has a separate loopback, pseudo terminal and host name', async () => {
      const serve =
        'require("net").createServer((s) => s.end("its own")).listen(0, "127.0.0.1", function () { require("net").connect(this.address().port, "127.0.0.1").on("data", (d) => { console.log(String(d)); process.exit() }) })'
      const { output } = await inside(
        `/opt/signalbox/bin/node -e '${serve}'; script -qc 'tty' /dev/null; uname -n; id -un`,
      )
      assert.match(output, /^its own\r?\n\/dev\/pts\/0\r?\nsandbox\nintern\n$/)
    })

    test('the end of a command is reported with its exit code or signal', async () => {
      assert.deepEqual((await inside('exit 7')).end, { kind: 'exited', code: 7 })
      assert.deepEqual((await inside('kill -KILL $$')).end, { kind: 'exited', code: 137 })
    })

    test('the kernel’s settings cannot be written, not even by a daemon that runs as root', async () => {
      const before = readFileSync('/proc/sys/kernel/core_pattern', 'utf8')
      const { output } = await inside('echo "|/bin/false" > /proc/sys/kernel/core_pattern')
      assert.match(output, /Read-only file system|Permission denied/)
      assert.equal(readFileSync('/proc/sys/kernel/core_pattern', 'utf8'), before)
    })

    test('a command sees neither other processes nor the environment of a process outside', async () => {
      const { output } = await inside(
        `cat /proc/*/environ | tr '\\0' '\\n'; ls -d /proc/[0-9]* | wc -l; kill -0 ${process.pid}`,
      )
      assert.match(output, /No such process/)
      assert.doesNotMatch(output, /TEST_DATABASE_URL|NODE_COMPILE_CACHE|npm_/)
      assert.ok(Number(output.match(/^\d+$/m)?.[0]) < 10)
    })

    test('a command cannot reach the network or the loopback of the host', async () => {
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

    test('a fork bomb is killed at the process limit', async () => {
      await using own = await newFolder()
      const nobodys = ofNobody(name, sandbox, own.path)
      const { end } = await realShell({ processes: 300 }, nobodys).run(smallBomb, {
        workspace: own.path,
        sandbox: true,
        timeoutMs: 120_000,
        signal: never,
      })
      assert.deepEqual(end, { kind: 'stopped', reason: 'processes' })
    })

    test('the kernel limits processes even without the watcher', async () => {
      await using own = await newFolder()
      const nobodys = ofNobody(name, sandbox, own.path)
      const { output } = await realShell({ processes: 10_000 }, nobodys).run(
        'for i in $(seq 550); do sleep 60 & done',
        {
          workspace: own.path,
          sandbox: true,
          timeoutMs: 60_000,
          signal: never,
        },
      )
      assert.match(output, /fork: .*Resource temporarily unavailable/)
    })

    test('too many processes are ended', async () => {
      const { end } = await inside('for i in $(seq 60); do sleep 9 & done; wait', { processes: 50 })
      assert.deepEqual(end, { kind: 'stopped', reason: 'processes' })
    })

    test('memory is limited, in one process and in all of them', async () => {
      const { end } = await inside('head -c 400M /dev/zero | tail -c 390M | wc -c; sleep 5', {
        memoryBytes: 200 * 1024 ** 2,
      })
      assert.deepEqual(end, { kind: 'stopped', reason: 'memory' })
    })

    test('endless output is stopped; long output keeps its beginning and end', async () => {
      assert.deepEqual((await inside('yes', { outputBytes: 1_000_000 })).end, { kind: 'stopped', reason: 'output' })
      const { output } = await inside('echo first; head -c 200000 /dev/zero | tr "\\0" x; echo; echo last')
      assert.match(output, /^first\n.*bytes omitted.*last\n$/s)
      assert.ok(output.length < 40_000)
    })

    test('a background process ends with the command', async () => {
      const mark = `sleep 98${process.pid}`
      await inside(`setsid ${mark} & ${mark} & echo started`)
      assert.ok(!(await running(mark)))
    })

    test('a command that takes too long is killed with all it started', async () => {
      const mark = `sleep 97${process.pid}`
      const { end } = await realShell({ timeoutMs: 300 }, sandbox).run(`(${mark} &) ; ${mark}`, {
        workspace: workspace.path,
        sandbox: true,
        timeoutMs: 300,
        signal: never,
      })
      assert.deepEqual(end, { kind: 'stopped', reason: 'timeout' })
      assert.ok(!(await running(mark)))
    })
  })
}

test('without a sandbox program the check returns a reason and a remedy', async () => {
  const shell = realShell({}, missingSandbox)
  const why = await shell.sandboxError(tmpdir())
  assert.match(
    why ?? '',
    /^bubblewrap \(.*\) is not installed; util-linux is not installed\. .*user namespaces.*perl\.$/,
  )
  const options = { workspace: tmpdir(), sandbox: true, timeoutMs: 60_000, signal: never }
  await assert.rejects(shell.run('exit 0', options), /is not installed/)
})

test('a program that exits with 0 but does not isolate is not used as the sandbox', async () => {
  await using folder = await newFolder()
  const pretender = join(folder.path, 'bwrap')
  writeFileSync(pretender, '#!/bin/sh\nfor script; do :; done\nexec /bin/bash -c "$script"\n', { mode: 0o755 })
  for (const program of ['/bin/true', pretender]) {
    const why = await realShell({}, { ...missingSandbox, program }).sandboxError(tmpdir())
    assert.match(why ?? '', /^bubblewrap \(.*\) does not restrict the commands that it runs; /)
  }
})

/** The kernel does not limit processes of root, so root runs the fork bomb as another user. */
function ofNobody(name: string, sandbox: SandboxOptions, folder: string): SandboxOptions {
  if (process.getuid?.() !== 0) return sandbox
  chownSync(folder, 65534, 65534)
  const first = name === 'bubblewrap' ? 'bwrap' : 'setpriv'
  const become = 'exec /usr/bin/setpriv --reuid 65534 --regid 65534 --clear-groups'
  writeFileSync(
    join(folder, first),
    `#!/bin/sh\n${become} ${first === 'bwrap' ? 'bwrap' : '/usr/bin/setpriv'} "$@"\n`,
    { mode: 0o755 },
  )
  return name === 'bubblewrap'
    ? { ...sandbox, program: join(folder, 'bwrap') }
    : { ...sandbox, systemPath: `${folder}:/usr/sbin:/usr/bin:/sbin:/bin` }
}

/** Whether a process with this command line still runs after a moment. */
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
