import { spawn } from 'node:child_process'
import { Fault } from '#platform/core/fault.ts'
import { withoutInheritedFiles } from '#platform/process/inherited-files.ts'
import { markerVariable } from '#platform/process/process-marker.ts'
import { lowerPriority } from '#platform/process/process-priority.ts'

type GitRun = {
  /** The folders with programs. */
  path: string
  args: string[]
  cwd: string
  /**
   * Git settings for this run. The settings are passed in the environment, so that no file and no output of `ps` contains them.
   */
  settings?: [name: string, value: string][]
  /** The transports that git can fetch with, such as `https`; defaults to none. */
  transports?: string[]
  /** The user id of git; defaults to the user of this process. */
  uid?: number | undefined
  /** A mark in the environment of git and its children. The next server finds and kills them by this mark. */
  mark: string
  /** The command line before `git`, such as `prlimit` with its options. */
  wrapper?: string[]
  signal: AbortSignal
}

const maxOutputLength = 16 * 1024
const maxErrorLength = 500

/** Nothing from the repository is executed, and the host's configuration is ignored. */
const fixedSettings: [string, string][] = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['credential.helper', ''],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['submodule.recurse', 'false'],
  ['advice.detachedHead', 'false'],
  ['http.followRedirects', 'false'],
  // Give up on a server that sends nothing for a minute.
  ['http.lowSpeedLimit', '1'],
  ['http.lowSpeedTime', '60'],
]

/** Runs git. @returns the output. @throws Fault `bad_gateway` with git's last error; Error if git cannot be run or is stopped. */
export function runGit({ args, cwd, uid, wrapper = [], signal, ...environment }: GitRun) {
  const command = [...wrapper, 'git', ...args]
  return new Promise<string>((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const child = spawn(command[0]!, command.slice(1), {
      cwd,
      env: createEnvironment(environment),
      // A separate process group, so that its children are ended with it.
      detached: true,
      stdio: withoutInheritedFiles(['ignore', 'pipe', 'pipe']),
      ...(uid !== undefined && { uid, gid: uid }),
    })
    if (child.pid) void lowerPriority(child.pid)
    const stop = () => killGroup(child.pid)
    signal.addEventListener('abort', stop, { once: true })
    let output = ''
    let errors = ''
    child.once('error', (error) => {
      signal.removeEventListener('abort', stop)
      reject(error)
    })
    // Without free file descriptors the pipes are missing; the `error` event follows.
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-maxOutputLength)
    })
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      errors = (errors + text).slice(-maxOutputLength)
    })
    child.once('close', (code) => {
      signal.removeEventListener('abort', stop)
      killGroup(child.pid)
      if (signal.aborted) reject(signal.reason)
      else if (code === 0) resolve(output)
      else reject(new Fault('bad_gateway', findLastError(errors) || `git ended with ${code}`))
    })
  })
}

function createEnvironment({
  path,
  mark,
  settings = [],
  transports = [],
}: Pick<GitRun, 'path' | 'mark' | 'settings' | 'transports'>): Record<string, string> {
  const allSettings = [...fixedSettings, ...settings]
  const settingVariables = allSettings.flatMap(([name, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, name],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ])
  return {
    [markerVariable]: mark,
    PATH: path,
    HOME: '/nonexistent',
    LC_ALL: 'C.UTF-8',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ALLOW_PROTOCOL: transports.join(':'),
    GIT_CONFIG_COUNT: String(allSettings.length),
    ...Object.fromEntries(settingVariables),
  }
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // The process group has ended already.
  }
}

/** Returns the last message of git itself. Lines that start with `remote:` are from the server. */
function findLastError(errors: string): string {
  const lines = errors.split(/[\r\n]+/).filter((line) => /^(fatal|error): /.test(line))
  return (lines.at(-1) ?? '').replace(/^\w+: /, '').slice(0, maxErrorLength)
}
