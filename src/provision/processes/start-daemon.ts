import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { inheritedVariables } from '#interns/contract/inherited-variables.ts'
import { withoutInheritedFiles } from '#platform/process/inherited-files.ts'
import { createMark, markerVariable } from '#platform/process/process-marker.ts'
import { lowerPriority } from '#platform/process/process-priority.ts'
import { addToGroup, selectLimitsOutsideGroup } from '../host/control-group.ts'
import { logFile, settingsFile } from '../host/home/intern-home.ts'
import { readLastLogLine } from '../host/home/intern-log.ts'
import { findProcess } from '../host/processes.ts'
import { prlimitCommand, type ResourceLimits } from '../host/resource-limits.ts'
import { internNiceness, programs } from './programs.ts'

type DaemonStart = {
  config: ResourceLimits
  variable: (name: string) => string | undefined
  home: string
  /** The user that it runs as; undefined for the user of this process. */
  uid: number | undefined
  /** Its control group, if it has one. */
  group: string | undefined
  compileCache: string
  /** The text on its standard input. */
  input: string | undefined
}

/**
 * Starts an intern's daemon, and resolves as soon as it runs.
 * @returns the process, and how it ends, in words.
 * @throws Error with the reason, written for the intern's owner.
 */
export async function startDaemon({ config, variable, home, uid, group, compileCache, input }: DaemonStart) {
  const inherited = inheritedVariables.flatMap((name) => {
    const value = variable(name)
    return value ? [[name, value]] : []
  })
  // Empties the log. Then it is opened for appending, because `resource-limits.ts` truncates a long log while it is in use.
  closeSync(openSync(logFile(home), 'w', 0o600))
  const log = openSync(logFile(home), 'a')
  const limits = prlimitCommand(selectLimitsOutsideGroup(group, config), uid)
  const command = [...limits, process.execPath, programs.daemon, settingsFile(home)]
  const child = spawn(command[0]!, command.slice(1), {
    cwd: home,
    env: {
      ...Object.fromEntries(inherited),
      HOME: home,
      NODE_COMPILE_CACHE: compileCache,
      [markerVariable]: createMark(join(home, 'workspace')),
    },
    // In a separate process group and session, so that Ctrl-C in the terminal does not end it.
    detached: true,
    stdio: withoutInheritedFiles([input === undefined ? 'ignore' : 'pipe', log, log]),
    ...(uid !== undefined && { uid, gid: uid }),
  })
  closeSync(log)
  // If the daemon ends before it has read everything, its log has the reason.
  child.stdin?.on('error', () => {}).end(input)
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ? `was killed by ${signal}` : `ended with code ${code}`))
  })
  if (group && child.pid) moveToGroup(group, child)
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve)
    child.once('error', (cause) => reject(new Error(`The daemon could not be started: ${cause.message}`, { cause })))
  })
  // The server can end before the daemon.
  child.unref()
  void lowerPriority(child.pid!, internNiceness)
  const daemon = findProcess(child.pid!)
  if (!daemon) throw new Error(`The daemon ended immediately: ${await readLastLogLine(home)}`)
  return { process: daemon, ended }
}

/** Moves the daemon into its group. It starts no process before the first request, which follows its first answer. */
function moveToGroup(group: string, child: ChildProcess): void {
  try {
    addToGroup(group, child.pid!)
  } catch (error) {
    child.kill('SIGKILL')
    throw new Error(`The daemon could not be put into its control group: ${(error as Error).message}`)
  }
}
