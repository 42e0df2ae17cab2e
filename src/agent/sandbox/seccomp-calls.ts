/**
 * The numbers of system calls on one processor, from the tables of the Linux kernel: `arch/x86/entry/syscalls/syscall_64.tbl` and
 * `include/uapi/asm-generic/unistd.h`.
 */
export type SyscallNumbers = {
  /** AUDIT_ARCH_*: calls in another mode of the processor, such as 32-bit mode, have other numbers. */
  architecture: number
  /** From this number on, a second range has the same calls (x32 on x86-64). A program that uses it is killed. */
  alternativeNumbersFrom: number | undefined
  /** Calls that fail as not permitted (EPERM). */
  refusedCalls: number[]
  /** Calls that fail as not implemented (ENOSYS), so that programs use older calls, which the filter can check. */
  unimplemented: number[]
  /** The calls that create sockets, `socket` and `socketpair`. Only some kinds of sockets are allowed. */
  sockets: number[]
  /** The call `clone`, which fails with flags that create namespaces. */
  clone: number
  /** The call `ioctl`, which fails for requests that write input to a terminal. */
  ioctl: number
}

/** System calls that no command in the sandbox needs, with their numbers on x86-64 and arm64. */
const refusedCalls: { [call: string]: [x64: number | undefined, arm64: number | undefined] } = {
  // Keys that belong to the user, not to the namespace.
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  // Calls that read or change the memory, files and secrets of other processes.
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  kcmp: [312, 272],
  pidfd_getfd: [438, 438],
  // Programs in the kernel, and calls that can pause it at a chosen moment.
  bpf: [321, 280],
  perf_event_open: [298, 241],
  userfaultfd: [323, 282],
  // Namespaces and mounts.
  unshare: [272, 97],
  setns: [308, 268],
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  chroot: [161, 51],
  open_tree: [428, 428],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  open_tree_attr: [467, 467],
  open_by_handle_at: [304, 265],
  // The machine itself.
  acct: [163, 89],
  clock_settime: [227, 112],
  delete_module: [176, 106],
  fanotify_init: [300, 262],
  finit_module: [313, 273],
  init_module: [175, 105],
  ioperm: [173, undefined],
  iopl: [172, undefined],
  kexec_file_load: [320, 294],
  kexec_load: [246, 104],
  modify_ldt: [154, undefined],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  reboot: [169, 142],
  settimeofday: [164, 170],
  swapoff: [168, 225],
  swapon: [167, 224],
  syslog: [103, 116],
  uselib: [134, undefined],
  vhangup: [153, 58],
}

/** The filter cannot see the operations of `io_uring_*`, which include sockets, nor the flags of `clone3`. */
const unimplementedCalls = { io_uring_setup: 425, io_uring_enter: 426, io_uring_register: 427, clone3: 435 }

/** @param processor the value of `process.arch`. */
export function findSyscallNumbers(processor: string): SyscallNumbers | undefined {
  const numbers = (column: 0 | 1) => Object.values(refusedCalls).flatMap((pair) => pair[column] ?? [])
  const shared = { unimplemented: Object.values(unimplementedCalls) }
  if (processor === 'x64')
    return {
      architecture: 0xc000003e,
      alternativeNumbersFrom: 0x40000000,
      refusedCalls: numbers(0),
      ...shared,
      sockets: [41, 53],
      clone: 56,
      ioctl: 16,
    }
  if (processor === 'arm64')
    return {
      architecture: 0xc00000b7,
      alternativeNumbersFrom: undefined,
      refusedCalls: numbers(1),
      ...shared,
      sockets: [198, 199],
      clone: 220,
      ioctl: 29,
    }
  return undefined
}
