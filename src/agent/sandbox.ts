import { lstatSync, readlinkSync } from 'node:fs'
import { once } from '#lib/once.ts'
import { nicer } from '#lib/priority.ts'
import { type Command, runCommand } from './command.ts'
import { syscallFilter } from './seccomp.ts'

/** `readable`: paths of the host that commands may read besides the system's programs, such as a toolchain. */
export type SandboxOptions = { program: string; node: string; readable: string[] }

const megabyte = 1024 * 1024
const account = { id: 1000, name: 'intern' }

/** Of the host's /etc only what programs need to start: no accounts, no keys, no configuration. */
const etc = ['ld.so.cache', 'ld.so.conf', 'ld.so.conf.d', 'alternatives', 'ssl', 'pki', 'ca-certificates', 'localtime']

const environment = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/signalbox/bin',
  HOME: '/tmp',
  TMPDIR: '/tmp',
  USER: account.name,
  LOGNAME: account.name,
  SHELL: '/bin/bash',
  LANG: 'C.UTF-8',
  TERM: 'dumb',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
}

/**
 * The root of the sandbox is built up from nothing instead of the host's with holes in it: a secret nobody thought of
 * is then hidden, not shown. Programs are there to read, the workspace to write, and a private /tmp.
 */
function root(workspace: string, options: SandboxOptions): string[] {
  const system = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'].flatMap((path) => asOnHost(path))
  return [
    ...['--ro-bind', '/usr', '/usr', ...system],
    ...etc.flatMap((name) => ['--ro-bind-try', `/etc/${name}`, `/etc/${name}`]),
    ...['--perms', '0644', '--ro-bind-data', '3', '/etc/passwd'],
    ...['--perms', '0644', '--ro-bind-data', '4', '/etc/group'],
    ...options.readable.flatMap((path) => ['--ro-bind-try', path, path]),
    ...['--ro-bind-try', options.node, '/opt/signalbox/bin/node'],
    ...['--dev', '/dev', '--size', String(64 * megabyte), '--tmpfs', '/dev/shm'],
    ...['--proc', '/proc', '--size', String(512 * megabyte), '--tmpfs', '/tmp'],
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
  ...['--unshare-all', '--cap-drop', 'ALL', '--hostname', 'sandbox'],
  ...['--die-with-parent', '--new-session', '--clearenv', '--seccomp', '5'],
]

/** Each command's own limits; what all of them hold together is watched from outside (`CommandLimits`). */
const limits = ['-u 512', '-n 4096', `-f ${2 * megabyte}`, `-d ${4 * megabyte}`, '-c 0']

const stepsNicer = 10

/** @returns the command line that runs `script` with bash in the sandbox over the workspace. */
export function sandboxed(script: string, workspace: string, cpuSeconds: number, options: SandboxOptions): Command {
  const set = Object.entries(environment).flatMap(([name, value]) => ['--setenv', name, value])
  const limit = [...limits, `-t ${cpuSeconds}`].map((each) => `ulimit ${each}`).join('; ')
  // Niced, by itself and as a session, so that who must end a fork bomb still gets the processor.
  const group = `echo ${nicer(stepsNicer)} > /proc/self/autogroup`
  const start = `{ ${limit}; ${group}; } 2>/dev/null; exec nice -n ${stepsNicer} /bin/bash -c "$0" 2>&1`
  return {
    file: options.program,
    args: [...isolation, ...root(workspace, options), ...set, '--', '/bin/bash', '-c', start, script],
    cwd: workspace,
    // Not even bubblewrap itself has our environment: inside, it is process 1, whose /proc entry can be read.
    env: {},
    feeds: [
      `${account.name}:x:${account.id}:${account.id}::/tmp:/bin/bash\n`,
      `${account.name}:x:${account.id}:\n`,
      filterHere(),
    ],
  }
}

const filterHere = once(() => {
  const filter = syscallFilter(process.arch)
  if (!filter) throw new Error(`no list of the kernel's calls for the processor ${process.arch}`)
  return filter
})

/** Tries the sandbox. @returns why commands cannot be run in it here, or undefined when they can. */
export async function whyNoSandbox(workspace: string, options: SandboxOptions): Promise<string | undefined> {
  const limits = { timeoutMs: 10_000, outputBytes: megabyte, processes: 100, memoryBytes: 1024 * megabyte }
  if (!syscallFilter(process.arch))
    return `There is no sandbox for the processor ${process.arch}, only for x64 and arm64.`
  const tried = await runCommand(
    sandboxed('exit 0', workspace, 10, options),
    limits,
    new AbortController().signal,
  ).catch((error: NodeJS.ErrnoException) => error)
  if (tried instanceof Error) {
    if (tried.code !== 'ENOENT') return `bubblewrap cannot be started: ${tried.message}.`
    return `bubblewrap is not installed. Install it (${installLines}).`
  }
  if (tried.end.how === 'exited' && tried.end.code === 0) return undefined
  return `bubblewrap cannot make a sandbox here: ${tried.complaint.trim() || JSON.stringify(tried.end)}. ${needs}`
}

const installLines = 'apt-get install bubblewrap, dnf install bubblewrap, apk add bubblewrap'
const needs =
  'It needs bubblewrap 0.8 or newer and user namespaces this user may create: see the sysctls ' +
  'kernel.unprivileged_userns_clone and kernel.apparmor_restrict_unprivileged_userns; in a container, ' +
  'a seccomp profile that lets it unshare.'
