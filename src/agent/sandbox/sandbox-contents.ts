import { caFileEnvironment } from '#platform/net/ca-certificates.ts'
import { nicenessPlus } from '#platform/process/process-priority.ts'

/** Programs, files and folders of the host for its sandboxes. */
export type SandboxOptions = {
  /** The path of bubblewrap; defaults to the one found in `path`. */
  program?: string | undefined
  /** The search path for programs, in the form of the variable PATH. */
  path: string | undefined
  /** The folders in which the programs of util-linux are searched. Tests set others. */
  systemPath?: string
  /** The path of the Node program, which commands can run as `node`. */
  node: string
  /** Paths of the host, in addition to the system's programs, that commands can read, such as a toolchain. */
  readable: string[]
  /** A file of trusted CA certificates. */
  caFile?: string | undefined
  /** A system-wide configuration of git. */
  gitConfig?: string | undefined
}

export const mebibyte = 1024 * 1024
/** The user of all commands in the sandbox: its user id and group id. */
export const sandboxUser = { id: 1000, name: 'intern' }
export const hostname = 'sandbox'

/** The contents of /etc/passwd and /etc/group in the sandbox. */
export const passwdFile = `${sandboxUser.name}:x:${sandboxUser.id}:${sandboxUser.id}::/tmp:/bin/bash\n`
export const groupFile = `${sandboxUser.name}:x:${sandboxUser.id}:\n`

/** Folders, or links to folders in /usr, that programs need in addition to /usr. */
export const systemFolders = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32']

/**
 * The files of the host's /etc that programs need to start: no accounts, no keys, no configuration. Of `ssl` and `pki` only the
 * public part, because they also contain private keys, which a daemon that runs as root could read.
 */
export const etcPaths = [
  'ld.so.cache',
  'ld.so.conf',
  'ld.so.conf.d',
  'alternatives',
  'ssl/certs',
  'ssl/cert.pem',
  'ssl/ca-bundle.pem',
  'ssl/openssl.cnf',
  'pki/tls/certs',
  'pki/tls/cert.pem',
  'pki/tls/openssl.cnf',
  'pki/ca-trust',
  'pki/java',
  'ca-certificates',
  'localtime',
].map((name) => `/etc/${name}`)

const sandboxNodePath = '/opt/signalbox/bin/node'
const sandboxCaFile = '/opt/signalbox/ca.pem'
const sandboxGitConfig = '/opt/signalbox/gitconfig'

/** Returns files of the host with their paths in the sandbox. */
export function listProvidedFiles({ node, caFile, gitConfig }: SandboxOptions): [from: string, to: string][] {
  const files: [string | undefined, string][] = [
    [node, sandboxNodePath],
    [caFile, sandboxCaFile],
    [gitConfig, sandboxGitConfig],
  ]
  return files.flatMap(([from, to]) => (from === undefined ? [] : [[from, to] as [string, string]]))
}

/** The sizes, in bytes, of /tmp and /dev/shm. Both are in memory. */
export const tmpfsBytes = { tmp: 512 * mebibyte, sharedMemory: 64 * mebibyte }

export const sandboxPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/signalbox/bin'

const fixedEnvironment = {
  PATH: sandboxPath,
  HOME: '/tmp',
  TMPDIR: '/tmp',
  USER: sandboxUser.name,
  LOGNAME: sandboxUser.name,
  SHELL: '/bin/bash',
  LANG: 'C.UTF-8',
  TERM: 'dumb',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
}

/** Returns the environment of every command in the sandbox. */
export const sandboxEnvironment = ({ caFile, gitConfig }: SandboxOptions): Record<string, string> => ({
  ...fixedEnvironment,
  ...(caFile !== undefined && caFileEnvironment(sandboxCaFile)),
  ...(gitConfig !== undefined && { GIT_CONFIG_SYSTEM: sandboxGitConfig }),
})

const gibibyteInKibibytes = 1024 * 1024

/**
 * The limits of each process, as arguments of `ulimit`: processes of the user, open files, the size of a file and of the
 * memory, no core dumps. The sum of all processes is limited from outside the sandbox (`CommandLimits` in `command.ts`).
 */
const processLimits = ['-u 512', '-n 4096', `-f ${2 * gibibyteInKibibytes}`, `-d ${4 * gibibyteInKibibytes}`, '-c 0']

const niceIncrement = 10

/** Returns the bash script that sets limits and lowers the priority, before `createBashCommand` starts the command. */
export function createSetupScript(cpuSeconds: number): string {
  const setLimits = [...processLimits, `-t ${cpuSeconds}`].map((limit) => `ulimit ${limit}`).join('; ')
  // A lower priority for the process and its session, so that this agent still gets processor time to end a fork bomb.
  const lowerPriority = `echo ${nicenessPlus(niceIncrement)} > /proc/self/autogroup`
  return `{ ${setLimits}; ${lowerPriority}; } 2>/dev/null;`
}

/**
 * Returns the bash command that starts the script of the model. The script is an argument of bash, `$0`, so that it needs no
 * quoting. `separateStderr`: standard error is separate from standard output.
 */
export const createBashCommand = (separateStderr = false) =>
  `nice -n ${niceIncrement} /bin/bash --norc -c "$0"${separateStderr ? '' : ' 2>&1'}`

/** A command to run in the sandbox. */
export type SandboxedScript = {
  script: string
  workspace: string
  cpuSeconds: number
  separateStderr?: boolean
  /** Paths of the host that this command can read in addition to those of the sandbox. */
  readable?: string[]
}
