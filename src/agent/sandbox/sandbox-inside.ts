import { authorityEnvironment } from '#platform/net/authorities.ts'
import { nicenessPlus } from '#platform/process/process-priority.ts'

/** `readable`: paths of the host that commands may read besides the system's programs, such as a toolchain. */
export type SandboxOptions = {
  /** A bubblewrap to take instead of looking for one. */
  program?: string | undefined
  /** The search path for programs, in the form of the variable PATH. */
  path: string | undefined
  /** The folders of the system's programs, whatever PATH is. */
  systemPath?: string
  node: string
  readable: string[]
  /** A file of trusted authorities. */
  authorities?: string | undefined
  /** A system-wide configuration of git. */
  gitConfig?: string | undefined
}

export const megabyte = 1024 * 1024
export const account = { id: 1000, name: 'intern' }
export const hostname = 'sandbox'

export const passwd = `${account.name}:x:${account.id}:${account.id}::/tmp:/bin/bash\n`
export const group = `${account.name}:x:${account.id}:\n`

/** Folders, or links to folders in /usr, that programs need besides it. */
export const systemFolders = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32']

/** Of the host's /etc only what programs need to start: no accounts, no keys, no configuration. */
export const etc = [
  'ld.so.cache',
  'ld.so.conf',
  'ld.so.conf.d',
  'alternatives',
  'ssl',
  'pki',
  'ca-certificates',
  'localtime',
].map((name) => `/etc/${name}`)

const nodeInside = '/opt/signalbox/bin/node'
const authoritiesInside = '/opt/signalbox/authorities.pem'
const gitConfigInside = '/opt/signalbox/gitconfig'

/** Files of the host, and where they are in the sandbox. */
export function givenFiles({ node, authorities, gitConfig }: SandboxOptions): [from: string, to: string][] {
  const files: [string | undefined, string][] = [
    [node, nodeInside],
    [authorities, authoritiesInside],
    [gitConfig, gitConfigInside],
  ]
  return files.flatMap(([from, to]) => (from === undefined ? [] : [[from, to] as [string, string]]))
}

export const sizes = { tmp: 512 * megabyte, sharedMemory: 64 * megabyte }

export const pathInside = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/signalbox/bin'

const fixedEnvironment = {
  PATH: pathInside,
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

/** The environment of every command in the sandbox. */
export const environmentOf = ({ authorities, gitConfig }: SandboxOptions): Record<string, string> => ({
  ...fixedEnvironment,
  ...(authorities !== undefined && authorityEnvironment(authoritiesInside)),
  ...(gitConfig !== undefined && { GIT_CONFIG_SYSTEM: gitConfigInside }),
})

/** Each command's own limits; what all of them hold together is watched from outside (`CommandLimits`). */
const limits = ['-u 512', '-n 4096', `-f ${2 * megabyte}`, `-d ${4 * megabyte}`, '-c 0']

const stepsNicer = 10

/**
 * The script that bash runs in the sandbox before the command, which is its `$0`: it sets limits and lowers the
 * priority.
 */
export function beforeCommand(cpuSeconds: number): string {
  const limit = [...limits, `-t ${cpuSeconds}`].map((each) => `ulimit ${each}`).join('; ')
  // Niced, by itself and as a session, so that who must end a fork bomb still gets the processor.
  const group = `echo ${nicenessPlus(stepsNicer)} > /proc/self/autogroup`
  return `{ ${limit}; ${group}; } 2>/dev/null;`
}
/** `apart`: whether what it complains is not to be among what it prints. */
export const sandboxedCommand = (apart = false) => `nice -n ${stepsNicer} /bin/bash -c "$0"${apart ? '' : ' 2>&1'}`

/** What is run in the sandbox. */
export type Inside = {
  script: string
  workspace: string
  cpuSeconds: number
  apart?: boolean
  /** Paths of the host that this command can read besides those of the sandbox. */
  readable?: string[]
}
