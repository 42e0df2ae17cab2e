import { findSyscallNumbers, type SyscallNumbers } from './seccomp-calls.ts'

/** One instruction of the kernel's classic packet filter: `struct sock_filter`. Jumps skip `ifTrue` or `ifFalse` instructions. */
type Step = [code: number, ifTrue: number, ifFalse: number, value: number]

// The codes are BPF_LD | BPF_W | BPF_ABS, BPF_JMP with BPF_JEQ, BPF_JGE and BPF_JSET, and BPF_RET, of <linux/filter.h>.
const load = (offset: number): Step => [0x20, 0, 0, offset]
const jumpUnlessEqual = (value: number, skip: number): Step => [0x15, 0, skip, value]
const jumpIfEqual = (value: number, skip: number): Step => [0x15, skip, 0, value]
const jumpUnlessAtLeast = (value: number, skip: number): Step => [0x35, 0, skip, value]
const jumpUnlessAnyBit = (bits: number, skip: number): Step => [0x45, 0, skip, bits]
const returnVerdict = (verdict: number): Step => [0x06, 0, 0, verdict]

/**
 * Offsets in `struct seccomp_data`. Only the lower half of an argument is read: the compared values fit into it.
 */
const offsets = { call: 0, architecture: 4, argument: (index: number) => 16 + 8 * index }

/** The verdicts SECCOMP_RET_ALLOW, SECCOMP_RET_KILL_PROCESS and SECCOMP_RET_ERRNO of <linux/seccomp.h>. */
const allow = 0x7fff0000
const killProcess = 0x80000000
const refuseWith = (errno: number) => 0x00050000 | errno
const errno = { notPermitted: 1, notImplemented: 38, noSuchFamily: 97 }

const socketFamilies = { unix: 1, inet: 2, netlink: 16, inet6: 10 }
/** The netlink protocol that lists addresses. Commands need no other netlink protocol. */
const netlinkRoute = 0
/** The CLONE_NEW* flags for mounts, groups, names, IPC, users, processes and the network. */
const newNamespaces = 0x7e020000
/** The ioctls TIOCSTI and TIOCLINUX, which insert input into a terminal. */
const terminalIoctls = [0x5412, 0x541c]

/**
 * Compiles the seccomp filter for commands in the sandbox. Namespaces hide files and processes. The filter refuses
 * what namespaces do not isolate: sockets to the hypervisor (vsock), keyrings, and kernel features with many known
 * vulnerabilities.
 * @returns undefined for an unsupported processor.
 */
export function buildSyscallFilter(processor: string): Buffer | undefined {
  const calls = findSyscallNumbers(processor)
  return calls && assemble(compileProgram(calls))
}

function compileProgram(calls: SyscallNumbers): Step[] {
  return [
    load(offsets.architecture),
    jumpIfEqual(calls.architecture, 1),
    returnVerdict(killProcess),
    load(offsets.call),
    // A second range of numbers for the same calls (x32), which a list of numbers would miss.
    ...(calls.alternativeNumbersFrom === undefined
      ? []
      : [jumpUnlessAtLeast(calls.alternativeNumbersFrom, 1), returnVerdict(killProcess)]),
    ...calls.refusedCalls.flatMap((call) => ifEqual(call, [returnVerdict(refuseWith(errno.notPermitted))])),
    // Programs fall back to older calls, whose arguments the filter can check, or become slower.
    ...calls.unimplemented.flatMap((call) => ifEqual(call, [returnVerdict(refuseWith(errno.notImplemented))])),
    ...calls.sockets.flatMap((call) => ifEqual(call, allowedSocketFamilies)),
    ...ifEqual(calls.clone, [
      load(offsets.argument(0)),
      jumpUnlessAnyBit(newNamespaces, 1),
      returnVerdict(refuseWith(errno.notPermitted)),
      returnVerdict(allow),
    ]),
    ...ifEqual(calls.ioctl, [
      load(offsets.argument(1)),
      ...terminalIoctls.flatMap((ioctl) => ifEqual(ioctl, [returnVerdict(refuseWith(errno.notPermitted))])),
      returnVerdict(allow),
    ]),
    returnVerdict(allow),
  ]
}

/**
 * Skips `steps` if the loaded value differs. Steps that load another value must end with a verdict, because later steps
 * compare it.
 */
const ifEqual = (value: number, steps: Step[]): Step[] => [jumpUnlessEqual(value, steps.length), ...steps]

const allowedSocketFamilies: Step[] = [
  load(offsets.argument(0)),
  ...[socketFamilies.unix, socketFamilies.inet, socketFamilies.inet6].flatMap((each) =>
    ifEqual(each, [returnVerdict(allow)]),
  ),
  ...ifEqual(socketFamilies.netlink, [load(offsets.argument(2)), ...ifEqual(netlinkRoute, [returnVerdict(allow)])]),
  returnVerdict(refuseWith(errno.noSuchFamily)),
]

function assemble(steps: Step[]): Buffer {
  const bytes = Buffer.alloc(steps.length * 8)
  for (const [index, [code, ifTrue, ifFalse, value]] of steps.entries()) {
    const from = index * 8
    bytes.writeUInt16LE(code, from)
    bytes.writeUInt8(ifTrue, from + 2)
    bytes.writeUInt8(ifFalse, from + 3)
    bytes.writeUInt32LE(value >>> 0, from + 4)
  }
  return bytes
}
