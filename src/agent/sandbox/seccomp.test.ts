import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { describe, test } from 'node:test'
import { newFolder, realShell, sandboxMethods } from '#test/harness/interns/scripted-agent.ts'
import { buildSyscallFilter } from './seccomp.ts'

type Call = { architecture: number; call: number; arguments?: number[] }

/** Computes the kernel's decision by interpreting the instructions. */
function verdict(filter: Buffer, { architecture, call, arguments: given = [] }: Call): string {
  const data = Buffer.alloc(64)
  data.writeUInt32LE(call >>> 0, 0)
  data.writeUInt32LE(architecture, 4)
  given.forEach((value, index) => void data.writeBigUInt64LE(BigInt(value), 16 + 8 * index))
  for (let at = 0, held = 0; at < filter.length; at += 8) {
    const value = filter.readUInt32LE(at + 4)
    const jump = (holds: boolean) => {
      at += 8 * filter.readUInt8(at + (holds ? 2 : 3))
    }
    switch (filter.readUInt16LE(at)) {
      case 0x20:
        held = data.readUInt32LE(value)
        break
      case 0x15:
        jump(held === value)
        break
      case 0x35:
        jump(held >= value)
        break
      case 0x45:
        jump((held & value) !== 0)
        break
      case 0x06:
        return value === 0x7fff0000 ? 'allowed' : value === 0x80000000 ? 'killed' : `errno ${value & 0xffff}`
      default:
        assert.fail(`no instruction at ${at}`)
    }
  }
  assert.fail('it ran off its end')
}

const machines = [
  { name: 'x64', architecture: 0xc000003e, other: 0x40000003, socket: 41, socketpair: 53, clone: 56, ioctl: 16 },
  { name: 'arm64', architecture: 0xc00000b7, other: 0x40000028, socket: 198, socketpair: 199, clone: 220, ioctl: 29 },
]

for (const { name, architecture, other, ...calls } of machines) {
  test(`the filter for ${name} decides each call, and kills foreign architectures`, () => {
    const filter = buildSyscallFilter(name)!
    const verdictOf = (call: number, ...given: number[]) => verdict(filter, { architecture, call, arguments: given })
    for (const call of [0, 1, 59, 63, 64, 93, 1000]) assert.equal(verdictOf(call), 'allowed')
    for (const family of [1, 2, 10]) assert.equal(verdictOf(calls.socket, family, 1, 0), 'allowed')
    for (const family of [3, 17, 21, 30, 38, 40, 44]) assert.equal(verdictOf(calls.socket, family, 1, 0), 'errno 97')
    assert.deepEqual([verdictOf(calls.socket, 16, 3, 0), verdictOf(calls.socket, 16, 3, 12)], ['allowed', 'errno 97'])
    assert.deepEqual([verdictOf(calls.socketpair, 1), verdictOf(calls.socketpair, 30)], ['allowed', 'errno 97'])
    assert.deepEqual([verdictOf(calls.clone, 0x1200011), verdictOf(calls.clone, 0x10000011)], ['allowed', 'errno 1'])
    assert.deepEqual([verdictOf(calls.ioctl, 0, 0x5401), verdictOf(calls.ioctl, 0, 0x5412)], ['allowed', 'errno 1'])
    assert.deepEqual([verdictOf(435), verdictOf(425), verdictOf(438)], ['errno 38', 'errno 38', 'errno 1'])
    assert.equal(verdict(filter, { architecture: other, call: 1 }), 'killed')
  })
}

test('where the same calls have a second set of numbers, it is not to be used', () => {
  const filter = buildSyscallFilter('x64')!
  assert.equal(verdict(filter, { architecture: 0xc000003e, call: 0x40000000 + 41, arguments: [40] }), 'killed')
})

const workspace = await newFolder()

for (const [name, sandbox] of Object.entries(sandboxMethods)) {
  const missing =
    (await realShell({}, sandbox).sandboxError(workspace.path)) ??
    (process.arch === 'x64' ? perlMissing() : 'its numbers are for x64')
  if (missing) console.log(`The kernel's calls from the sandbox of ${name} are NOT tried: ${missing}`)

  /** Makes a system call in the sandbox. @returns the output: `ok`, or the error number. */
  const called = async (...call: number[]): Promise<string> => {
    const script = `perl -e '$r = syscall(${call.join(', ')}); print $r < 0 ? $! + 0 : "ok"'; echo " $?"`
    const shell = { workspace: workspace.path, sandbox: true, timeoutMs: 60_000, signal: new AbortController().signal }
    return (await realShell({}, sandbox).run(script, shell)).output.trim()
  }

  describe(`from the sandbox of ${name}`, { skip: missing ?? false }, () => {
    test('only sockets of the usual families can be created', async () => {
      assert.deepEqual([await called(41, 1, 1, 0), await called(41, 2, 1, 0)], ['ok 0', 'ok 0'])
      for (const family of [40, 38, 17, 30]) assert.equal(await called(41, family, 1, 0), '97 0', `family ${family}`)
    })

    test('keyrings, kernel features and other processes are out of reach', async () => {
      for (const [name, ...call] of [
        ...[['add_key', 248] as const, ['request_key', 249] as const, ['keyctl', 250] as const],
        ...[['bpf', 321] as const, ['userfaultfd', 323] as const, ['perf_event_open', 298] as const],
        ...[['unshare', 272, 0x10000000] as const, ['clone', 56, 0x10000000] as const, ['ptrace', 101] as const],
      ])
        assert.equal(await called(...call, 0, 0, 0, 0).then((text) => text.split('\n')[0]), '1 0', name)
      assert.equal(await called(425, 1, 0), '38 0')
    })

    test('a system call by the second range of numbers kills the process', async () => {
      assert.match(await called(0x40000000 + 39), /159$/)
    })

    test('Node runs, with its threads', async () => {
      const work = 'new (require("worker_threads").Worker)("console.log(40 + 2)", { eval: true })'
      const shell = {
        workspace: workspace.path,
        sandbox: true,
        timeoutMs: 60_000,
        signal: new AbortController().signal,
      }
      const { output } = await realShell({}, sandbox).run(`/opt/signalbox/bin/node -e '${work}'`, shell)
      assert.equal(output.trim(), '42')
    })
  })
}

function perlMissing(): string | undefined {
  try {
    execFileSync('/usr/bin/perl', ['-e', '1'])
    return undefined
  } catch {
    return 'there is no /usr/bin/perl'
  }
}
