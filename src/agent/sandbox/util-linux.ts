import { existsSync, lstatSync, readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { quoteForShell } from '#platform/text/quote-for-shell.ts'
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
  sandboxPath,
  sandboxUser,
  systemFolders,
  tmpfsBytes,
} from './sandbox-contents.ts'

/** The new root is mounted on this folder: every system has it, and the sandbox does not need its content. */
const rootFolder = '/sys'
/** The folders of the system's programs, whatever the PATH of this process is. */
const systemPath = '/usr/sbin:/usr/bin:/sbin:/bin'

const namespaces = ['user', 'mount', 'pid', 'net', 'ipc', 'uts', 'cgroup'].map((name) => `--${name}`)

/** @returns the command line that runs `script` with bash in namespaces that the tools of util-linux create. */
export function createUtilLinuxCommand(
  options: SandboxOptions,
  { script, workspace, cpuSeconds, separateStderr, filter }: SandboxedScript & { filter: Buffer },
): Command {
  const start = `${createSetupScript(cpuSeconds)} ${createBashCommand(separateStderr)}; exit $?`
  const enterArguments = [String(sandboxUser.id), workspace, '/bin/bash', '--norc', '-c', start, script]
  return {
    // The kernel ends it, with all processes inside, when this process ends.
    file: 'setpriv',
    args: [
      ...['--pdeathsig', 'KILL', 'unshare', '--map-root-user', ...namespaces, '--fork', '--kill-child=KILL', '--'],
      ...['/bin/sh', '-c', createBuildScript(planRoot(workspace, options)), 'sandbox', ...enterArguments],
    ],
    cwd: workspace,
    env: { ...sandboxEnvironment(options), PATH: options.systemPath ?? systemPath },
    feeds: [filter],
  }
}

/** Lists the folders, files, links and mounts of the sandbox's root. */
function planRoot(workspace: string, options: SandboxOptions): Tree {
  // Mounted after the private /tmp, which would cover them.
  const inTmp = options.readable.filter((path) => isWithin(path, '/tmp'))
  const outsideTmp = options.readable.filter((path) => !isWithin(path, '/tmp'))
  const readOnlyPaths = [...systemFolders.filter(isFolder), ...etcPaths, ...outsideTmp].filter((path) =>
    existsSync(path),
  )
  const providedMounts = listProvidedFiles(options)
  const links = [...systemFolders, ...deviceLinks].filter(isLink)
  const mounts = [
    ...['/usr', ...readOnlyPaths].flatMap((path) => readOnlyMounts(path, path)),
    ...providedMounts.flatMap(([from, to]) => readOnlyMounts(from, to)),
    ...devices.map((path) => `${escapePath(path)} ${rootFolder}${path} none bind`),
    // New pseudo terminals, because programs need them and must not see those of the host.
    `devpts ${rootFolder}/dev/pts devpts newinstance,ptmxmode=0666,mode=620,nosuid,noexec`,
    `${rootFolder}/dev/pts/ptmx ${rootFolder}/dev/ptmx none bind`,
    `proc ${rootFolder}/proc proc ro,nosuid,nodev,noexec`,
    `tmpfs ${rootFolder}/tmp tmpfs size=${tmpfsBytes.tmp},mode=0755,nosuid,nodev`,
    `tmpfs ${rootFolder}/dev/shm tmpfs size=${tmpfsBytes.sharedMemory},mode=0755,nosuid,nodev`,
    ...inTmp.filter(isFolder).flatMap((path) => readOnlyMounts(path, path).map((line) => `${line},X-mount.mkdir`)),
    // The last mount, because an earlier one can cover the folder that contains the workspace.
    `${escapePath(workspace)} ${rootFolder}${escapePath(workspace)} none bind,X-mount.mkdir`,
  ]
  const files = [
    ...readOnlyPaths.filter((path) => !isFolder(path)),
    ...providedMounts.map(([, to]) => to),
    ...devices,
    '/dev/ptmx',
  ]
  const folders = ['/usr', '/etc', '/proc', '/tmp', '/mnt', '/dev/pts', '/dev/shm', ...readOnlyPaths.filter(isFolder)]
  return { folders: [...new Set([...folders, ...files.map(dirname)])], files, links, mounts }
}

const devices = ['null', 'zero', 'full', 'random', 'urandom', 'tty']
  .map((name) => `/dev/${name}`)
  .filter((path) => existsSync(path))
const deviceLinks = ['fd', 'stdin', 'stdout', 'stderr'].map((name) => `/dev/${name}`)

const isFolder = (path: string) =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() === true && !isSystemLink(path)
const isLink = (path: string) => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true
const isSystemLink = (path: string) => systemFolders.includes(path) && isLink(path)

type Tree = { [kind in 'folders' | 'files' | 'links' | 'mounts']: string[] }

/**
 * Returns the script by which process 1 of the new namespaces builds the root. It uses one `mkdir`, one `cp` and one
 * `mount` for everything, because each started program takes a millisecond. Its last working folder is the host's
 * /proc: the last step maps the user there, because the new /proc is read-only.
 *
 * - The limit of one user namespace leaves only that of the last step, so commands cannot create another.
 * - The list of mounts is a file in the new root's `proc`, which the mount of /proc then covers.
 * - The host's name and the loopback device are not essential: `ip` can be missing.
 */
const createBuildScript = ({ folders, files, links, mounts }: Tree) => `set -eu
mount -n -t tmpfs -o mode=0755,nosuid,nodev,size=1m sandbox ${rootFolder}
cd ${rootFolder}
mkdir -p ${folders.map((path) => quoteForShell(`.${path}`)).join(' ')}
cp -P --parents ${links.map(quoteForShell).join(' ')} .
for file in ${files.map((path) => quoteForShell(`.${path}`)).join(' ')}; do : > "$file"; done
printf %s ${quoteForShell(passwdFile)} > etc/passwd
printf %s ${quoteForShell(groupFile)} > etc/group
echo 1 > /proc/sys/user/max_user_namespaces
printf '%s\\n' ${mounts.map(quoteForShell).join(' ')} > proc/mounts-to-make
mount -a -T proc/mounts-to-make
{ hostname ${hostname}; ip link set lo up; } >&2 2>/dev/null || :
pivot_root . mnt
cd /mnt/proc
umount -l /mnt
mount -o remount,bind,ro /
exec perl -e ${quoteForShell(enterScript)} "$@"
`

/**
 * The last step: enters a user namespace that owns none of the mounts, maps the user, drops all capabilities, installs the
 * seccomp filter and runs the command. `unshare` gets CLONE_NEWUSER, and `prctl` the operations PR_CAPBSET_DROP (24), for all
 * possible capabilities, PR_SET_NO_NEW_PRIVS (38) and PR_SET_SECCOMP (22) with SECCOMP_MODE_FILTER (2). `pack` builds `struct
 * sock_fprog`: the number of instructions and their address. It is perl, because neither a shell nor Node can make these
 * system calls.
 */
const enterScript = `
my ($id, $workspace, @command) = @ARGV;
my ($unshare, $prctl) = ${process.arch === 'arm64' ? '(97, 167)' : '(272, 157)'};
open(my $feed, '<&=', 3) or die "the filter: $!";
my $filter = do { local $/; <$feed> } or die "the filter: $!";
close $feed;
sub call { syscall(shift, @_) != -1 or die "$!" }
sub writeFile {
  my ($file, $text) = @_;
  open(my $to, '>', $file) or die "$file: $!";
  syswrite($to, $text) or die "$file: $!";
}
call($unshare, 0x10000000);
writeFile('self/uid_map', "$id 0 1");
writeFile('self/gid_map', "$id 0 1");
chdir $workspace or die "$workspace: $!";
syscall($prctl, 24, $_, 0, 0, 0) for 0 .. 63;
call($prctl, 38, 1, 0, 0, 0);
call($prctl, 22, 2, pack('S x6 P', length($filter) / 8, $filter), 0, 0);
delete @ENV{'PWD', 'OLDPWD'};
$ENV{PATH} = ${JSON.stringify(sandboxPath)};
exec { $command[0] } @command or die "$command[0]: $!";
`

type Mount = { at: string; options: string[] }

/** Returns the fstab lines that mount `path` read-only at `to`: one for `path`, and one for each mount below `path`. */
function readOnlyMounts(path: string, to: string): string[] {
  const mounts = currentMounts()
  const coveringMount = mounts.filter(({ at }) => isWithin(escapePath(path), at)).at(-1)
  const below = mounts.filter(({ at }) => at !== escapePath(path) && isWithin(at, escapePath(path)))
  const line = (from: string, target: string, options: string[] = []) => {
    // Options that the host has set must be repeated, because the kernel does not allow their removal in a namespace.
    const restrictions = options.filter((option) => ['nodev', 'noexec'].includes(option))
    return `${from} ${rootFolder}${target} none ${['rbind', 'ro', 'nosuid', ...restrictions].join(',')}`
  }
  return [
    line(escapePath(path), escapePath(to), coveringMount?.options),
    ...below.map(({ at, options }) => line(at, escapePath(to) + at.slice(escapePath(path).length), options)),
  ]
}

const isWithin = (path: string, folder: string) => folder === '/' || path === folder || path.startsWith(`${folder}/`)

/** Returns the mounts of this process, outer ones before inner ones, with the kernel's escapes in their paths. */
function currentMounts(): Mount[] {
  const lines = readFileSync('/proc/self/mountinfo', 'utf8').trimEnd().split('\n')
  const mounts = lines.map((line) => line.split(' ')).map((words) => ({ at: words[4]!, options: words[5]!.split(',') }))
  return mounts.sort((one, other) => one.at.length - other.at.length)
}

/** Escapes a path as the kernel and fstab do. */
const escapePath = (path: string) =>
  path.replace(/[\s\\#]/g, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`)
