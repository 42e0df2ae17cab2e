import { lstatSync, readlinkSync } from 'node:fs'
import type { Command } from './command.ts'
import {
  account,
  beforeCommand,
  environmentOf,
  etc,
  givenFiles,
  group,
  hostname,
  type Inside,
  passwd,
  type SandboxOptions,
  sandboxedCommand,
  sizes,
  systemFolders,
} from './sandbox-inside.ts'

/**
 * The root of the sandbox is built up from nothing instead of the host's with holes in it: a secret nobody thought of
 * is then hidden, not shown. Programs are there to read, the workspace to write, and a private /tmp.
 */
function root(workspace: string, options: SandboxOptions): string[] {
  return [
    ...['--ro-bind', '/usr', '/usr', ...systemFolders.flatMap((path) => asOnHost(path))],
    ...etc.flatMap((path) => ['--ro-bind-try', path, path]),
    ...['--perms', '0644', '--ro-bind-data', '3', '/etc/passwd'],
    ...['--perms', '0644', '--ro-bind-data', '4', '/etc/group'],
    ...givenFiles(options).flatMap(([from, to]) => ['--ro-bind-try', from, to]),
    ...['--dev', '/dev', '--size', String(sizes.sharedMemory), '--tmpfs', '/dev/shm'],
    ...['--proc', '/proc', '--size', String(sizes.tmp), '--tmpfs', '/tmp'],
    // After /tmp, as they may be in there.
    ...options.readable.flatMap((path) => ['--ro-bind-try', path, path]),
    ...['--bind', workspace, workspace, '--chdir', workspace],
    // Without this, a command of a daemon that runs as root could set the host's /proc/sys/kernel/core_pattern.
    ...['--remount-ro', '/proc', '--remount-ro', '/dev', '--remount-ro', '/'],
  ]
}

/** /bin and its like are links into /usr on most systems, and folders of their own on some. */
function asOnHost(path: string): string[] {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (!found) return []
  return found.isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path]
}

const isolation = [
  ...['--unshare-user', '--disable-userns', '--uid', String(account.id), '--gid', String(account.id)],
  ...['--unshare-all', '--cap-drop', 'ALL', '--hostname', hostname],
  ...['--die-with-parent', '--new-session', '--clearenv', '--seccomp', '5'],
]

/** @returns the command line that runs `script` with bash under bubblewrap. */
export function underBubblewrap(
  program: string,
  options: SandboxOptions,
  { script, workspace, cpuSeconds, apart, filter }: Inside & { filter: Buffer },
): Command {
  const set = Object.entries(environmentOf(options)).flatMap(([name, value]) => ['--setenv', name, value])
  const start = `${beforeCommand(cpuSeconds)} exec ${sandboxedCommand(apart)}`
  return {
    file: program,
    args: [...isolation, ...root(workspace, options), ...set, '--', '/bin/bash', '-c', start, script],
    cwd: workspace,
    // Not even bubblewrap itself has our environment: inside, it is process 1, whose /proc entry can be read.
    env: {},
    feeds: [passwd, group, filter],
  }
}
