import { type Calls, callsOf } from './seccomp-calls.ts'

/** One instruction of the kernel's classic packet filter: `struct sock_filter`. */
type Step = [code: number, ifTrue: number, ifFalse: number, value: number]

const load = (offset: number): Step => [0x20, 0, 0, offset]
const unlessEqual = (value: number, skip: number): Step => [0x15, 0, skip, value]
const ifEqualSkip = (value: number, skip: number): Step => [0x15, skip, 0, value]
const unlessFrom = (value: number, skip: number): Step => [0x35, 0, skip, value]
const unlessAnyBit = (bits: number, skip: number): Step => [0x45, 0, skip, bits]
const end = (verdict: number): Step => [0x06, 0, 0, verdict]

/**
 * Offsets in `struct seccomp_data`. Only the lower half of an argument is read: the compared values are never longer.
 */
const at = { call: 0, architecture: 4, argument: (index: number) => 16 + 8 * index }

const allow = 0x7fff0000
const killProcess = 0x80000000
const refuse = (errno: number) => 0x00050000 | errno
const errno = { notPermitted: 1, notImplemented: 38, noSuchFamily: 97 }

const family = { unix: 1, inet: 2, netlink: 16, inet6: 10 }
/** Of netlink's protocols the one that lists addresses; the others speak to parts of the kernel that nobody here needs. */
const netlinkRoute = 0
/** CLONE_NEW* for mounts, groups, names, ipc, users, processes and the network. */
const newNamespaces = 0x7e020000
/** Types into, or draws on, the terminal of whoever looks. */
const terminalTricks = [0x5412, 0x541c]

/**
 * Limits the kernel calls of commands in the sandbox, as a program for the kernel. Namespaces hide files and processes.
 * This filter forbids ways out that namespaces do not close: sockets to the host below (vsock), keyrings, and parts of
 * the kernel that were often attacked.
 * @returns undefined for a processor whose calls are not known here.
 */
export function syscallFilter(processor: string): Buffer | undefined {
  const calls = callsOf(processor)
  return calls && assembled(program(calls))
}

function program(calls: Calls): Step[] {
  return [
    load(at.architecture),
    ...[ifEqualSkip(calls.architecture, 1), end(killProcess)],
    load(at.call),
    // A second set of numbers for the same calls, which a list of numbers would miss.
    ...(calls.otherNumbersFrom === undefined ? [] : [unlessFrom(calls.otherNumbersFrom, 1), end(killProcess)]),
    ...calls.refused.flatMap((call) => when(call, [end(refuse(errno.notPermitted))])),
    // Programs fall back to older calls, whose arguments can be looked at, or are slower, when there is none.
    ...calls.absent.flatMap((call) => when(call, [end(refuse(errno.notImplemented))])),
    ...calls.sockets.flatMap((call) => when(call, onlyUsualFamilies)),
    ...when(calls.clone, [
      ...[load(at.argument(0)), unlessAnyBit(newNamespaces, 1), end(refuse(errno.notPermitted)), end(allow)],
    ]),
    ...when(calls.ioctl, [
      load(at.argument(1)),
      ...terminalTricks.flatMap((trick) => when(trick, [end(refuse(errno.notPermitted))])),
      end(allow),
    ]),
    end(allow),
  ]
}

const when = (value: number, steps: Step[]): Step[] => [unlessEqual(value, steps.length), ...steps]

const onlyUsualFamilies: Step[] = [
  load(at.argument(0)),
  ...[family.unix, family.inet, family.inet6].flatMap((each) => when(each, [end(allow)])),
  ...when(family.netlink, [load(at.argument(2)), ...when(netlinkRoute, [end(allow)])]),
  end(refuse(errno.noSuchFamily)),
]

function assembled(steps: Step[]): Buffer {
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
