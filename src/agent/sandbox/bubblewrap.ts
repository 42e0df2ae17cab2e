import { lstatSync, readlinkSync } from 'node:fs'
import type { Command } from './command.ts'
import {
  createBashCommand,
  createSetupScript,
  etcPaths,
  groupFile,
  hostname,
  listProvidedFiles,
  passwdFile,
  type SandboxedScript,
  type SandboxOptions,
  sandboxEnvironment,
  sandboxUser,
  systemFolders,
  tmpfsBytes,
} from './sandbox-contents.ts'

/**
 * Returns the arguments that build the sandbox's root from an empty one. Hiding parts of the host's root instead would need a
 * complete list of secrets. Programs are readable; the workspace and a private /tmp are writable. The contents of /etc/passwd
 * and /etc/group come from the descriptors 3 and 4.
 */
function rootArguments(workspace: string, options: SandboxOptions): string[] {
  return [
    ...['--ro-bind', '/usr', '/usr', ...systemFolders.flatMap((path) => mountAsOnHost(path))],
    ...etcPaths.flatMap((path) => ['--ro-bind-try', path, path]),
    ...['--perms', '0644', '--ro-bind-data', '3', '/etc/passwd'],
    ...['--perms', '0644', '--ro-bind-data', '4', '/etc/group'],
    ...listProvidedFiles(options).flatMap(([from, to]) => ['--ro-bind-try', from, to]),
    ...['--dev', '/dev', '--size', String(tmpfsBytes.sharedMemory), '--tmpfs', '/dev/shm'],
    ...['--proc', '/proc', '--size', String(tmpfsBytes.tmp), '--tmpfs', '/tmp'],
    // After /tmp, because these paths can be below it.
    ...options.readable.flatMap((path) => ['--ro-bind-try', path, path]),
    ...['--bind', workspace, workspace, '--chdir', workspace],
    // Without this, a command of a daemon that runs as root could set the host's /proc/sys/kernel/core_pattern.
    ...['--remount-ro', '/proc', '--remount-ro', '/dev', '--remount-ro', '/'],
  ]
}

/** Mounts a folder such as /bin, or creates the same link as on the host: on most systems these are links into /usr. */
function mountAsOnHost(path: string): string[] {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (!found) return []
  return found.isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path]
}

const isolation = [
  // In a new user namespace, a command would have capabilities again. `--disable-userns` prevents that; it requires
  // `--unshare-user`.
  ...['--unshare-user', '--disable-userns', '--uid', String(sandboxUser.id), '--gid', String(sandboxUser.id)],
  // All other namespaces. The network namespace has only a loopback device.
  ...['--unshare-all', '--cap-drop', 'ALL', '--hostname', hostname],
  // The sandbox ends with this process, and a command cannot insert input into the terminal of this process.
  ...['--die-with-parent', '--new-session'],
  ...['--clearenv', '--seccomp', '5'],
]

/** @returns the command line that runs `script` with bash under bubblewrap. `filter`: the seccomp filter. */
export function createBubblewrapCommand(
  program: string,
  options: SandboxOptions,
  { script, workspace, cpuSeconds, separateStderr, filter }: SandboxedScript & { filter: Buffer },
): Command {
  const environmentArguments = Object.entries(sandboxEnvironment(options)).flatMap(([name, value]) => [
    '--setenv',
    name,
    value,
  ])
  const bootstrapScript = `${createSetupScript(cpuSeconds)} exec ${createBashCommand(separateStderr)}`
  return {
    file: program,
    args: [
      ...isolation,
      ...rootArguments(workspace, options),
      ...environmentArguments,
      '--',
      '/bin/bash',
      '--norc',
      '-c',
      bootstrapScript,
      // `$0` of the bootstrap script, which runs it.
      script,
    ],
    cwd: workspace,
    // Bubblewrap gets an empty environment too: it is process 1 in the sandbox, and commands can read its /proc entry.
    env: {},
    // Descriptors 3, 4 and 5 of the arguments above.
    feeds: [passwdFile, groupFile, filter],
  }
}
