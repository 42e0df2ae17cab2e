import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { withoutInherited } from '#platform/process/inherited-files.ts'
import { markerOf, markerVariable } from '#platform/process/process-marker.ts'
import { lowerPriority } from '#platform/process/process-priority.ts'
import { addToGroup, limitsBeyondGroup } from '../host/control-group.ts'
import { endOfLog, logFile, settingsFile } from '../host/intern-home.ts'
import { processAt } from '../host/processes.ts'
import { prlimitCommand, type ResourceLimits } from '../host/resource-limits.ts'
import { programs } from './programs.ts'

type Started = {
  config: ResourceLimits
  variable: (name: string) => string | undefined
  home: string
  /** The user that it runs as, if not as ours. */
  uid: number | undefined
  /** Its control group, where it has one. */
  group: string | undefined
  compileCache: string
  /** What it reads on its standard input. */
  input: string | undefined
}

/** Whatever interns do, the service comes first. */
const internNiceness = 5

/** Variables of our environment that a daemon gets. None is secret. */
const handedOn = ['PATH', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR']

/**
 * Starts an intern's daemon, and answers with it as soon as it runs.
 * @returns the process, and how it ends, in words.
 * @throws Error that says, for the intern's owner, why it could not.
 */
export async function startDaemon({ config, variable, home, uid, group, compileCache, input }: Started) {
  const inherited = handedOn.flatMap((name) => {
    const value = variable(name)
    return value ? [[name, value]] : []
  })
  // Written to at its end, wherever that is: it may be cut short while it is in use.
  closeSync(openSync(logFile(home), 'w', 0o600))
  const log = openSync(logFile(home), 'a')
  const limits = prlimitCommand(limitsBeyondGroup(group, config), uid)
  const [command = process.execPath, ...args] = [...limits, process.execPath, programs.daemon, settingsFile(home)]
  const child = spawn(command, args, {
    cwd: home,
    env: {
      ...Object.fromEntries(inherited),
      ...{ HOME: home, NODE_COMPILE_CACHE: compileCache, [markerVariable]: markerOf(join(home, 'workspace')) },
    },
    // At the head of a group and session of its own: a Ctrl-C at our terminal is not meant for it.
    detached: true,
    stdio: withoutInherited([input === undefined ? 'ignore' : 'pipe', log, log]),
    ...(uid !== undefined && { uid, gid: uid }),
  })
  closeSync(log)
  // It may have ended before it has read all: why is in its log.
  child.stdin?.on('error', () => {}).end(input)
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ? `was killed by ${signal}` : `ended with code ${code}`))
  })
  if (group && child.pid) enclose(group, child)
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve)
    child.once('error', (cause) => reject(new Error(`The daemon could not be started: ${cause.message}`, { cause })))
  })
  child.unref()
  void lowerPriority(child.pid!, internNiceness)
  const started = processAt(child.pid!)
  if (!started) throw new Error(`The daemon ended at once: ${endOfLog(home)}`)
  return { process: started, ended }
}

/** The daemon starts nothing before it is asked to, and is not asked before it has answered. */
function enclose(group: string, child: ChildProcess): void {
  try {
    addToGroup(group, child.pid!)
  } catch (error) {
    child.kill('SIGKILL')
    throw new Error(`The daemon could not be put into its control group: ${(error as Error).message}`)
  }
}
