import { spawn } from 'node:child_process'
import { withoutInherited } from '#platform/process/inherited-files.ts'
import { markerVariable } from '#platform/process/process-marker.ts'
import { lowerPriority } from '#platform/process/process-priority.ts'

export type GitRun = {
  /** The folders with programs. */
  path: string
  args: string[]
  cwd: string
  /** Settings of this one process, by name: the environment holds them, so that neither `ps` nor a file shows any. */
  settings?: [name: string, value: string][]
  /** By which transports it may fetch; by none unless told. */
  transports?: string[]
  /** The user it runs as; by default ours. */
  uid?: number | undefined
  /** By which it is found, and all it starts, when whoever started it was killed. */
  mark: string
  /** A command line to put before it. */
  before?: string[]
  signal: AbortSignal
}

/** Git said no; the message is what it complained of last. */
export class GitFailed extends Error {}

const longestComplaint = 16 * 1024

/** Nothing of the repository runs, and nothing of the host's configuration counts. */
const always: [string, string][] = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['credential.helper', ''],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['submodule.recurse', 'false'],
  ['advice.detachedHead', 'false'],
  ['http.followRedirects', 'false'],
  // A server that has nothing more to say.
  ['http.lowSpeedLimit', '1'],
  ['http.lowSpeedTime', '60'],
]

/** @returns what it printed. @throws GitFailed, or Error when it cannot be run or is stopped. */
export function runGit({ path, args, cwd, settings = [], transports = [], uid, mark, before = [], signal }: GitRun) {
  const all = [...always, ...settings]
  const [file = 'git', ...rest] = [...before, 'git', ...args]
  return new Promise<string>((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const child = spawn(file, rest, {
      cwd,
      env: {
        ...{ [markerVariable]: mark, PATH: path, HOME: '/nonexistent', LC_ALL: 'C.UTF-8' },
        ...{ GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', GIT_ATTR_NOSYSTEM: '1' },
        ...{ GIT_TERMINAL_PROMPT: '0', GIT_ALLOW_PROTOCOL: transports.join(':') },
        GIT_CONFIG_COUNT: String(all.length),
        ...Object.fromEntries(
          all.flatMap(([name, value], index) => [
            [`GIT_CONFIG_KEY_${index}`, name],
            [`GIT_CONFIG_VALUE_${index}`, value],
          ]),
        ),
      },
      // A group of its own: what it starts is ended with it.
      detached: true,
      stdio: withoutInherited(['ignore', 'pipe', 'pipe']),
      ...(uid !== undefined && { uid, gid: uid }),
    })
    if (child.pid) void lowerPriority(child.pid)
    const stop = () => killGroup(child.pid)
    signal.addEventListener('abort', stop, { once: true })
    let [said, complaint] = ['', '']
    child.once('error', (error) => {
      signal.removeEventListener('abort', stop)
      reject(error)
    })
    // Out of file descriptors there are no pipes, only the error in a moment.
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-longestComplaint)
    })
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      complaint = (complaint + text).slice(-longestComplaint)
    })
    child.once('close', (code) => {
      signal.removeEventListener('abort', stop)
      killGroup(child.pid)
      if (signal.aborted) reject(signal.reason)
      else if (code === 0) resolve(said)
      else reject(new GitFailed(lastComplaint(complaint) || `git ended with ${code}`))
    })
  })
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}

/** The last message of git itself. Lines that begin with `remote:` are from the server. */
function lastComplaint(complaint: string): string {
  const lines = complaint.split(/[\r\n]+/).filter((line) => /^(fatal|error): /.test(line))
  return (lines.at(-1) ?? '').replace(/^\w+: /, '').slice(0, 500)
}
