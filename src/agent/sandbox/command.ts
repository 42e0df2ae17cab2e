import { type ChildProcess, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { withoutInheritedFiles } from '#platform/process/inherited-files.ts'
import { killMarked } from '#platform/process/process-marker.ts'
import { lowerPriority } from '#platform/process/process-priority.ts'
import { measureTree } from './process-tree.ts'
import { TerminalText } from './terminal-text.ts'

/** A program to run. It gets `feeds` on file descriptors 3 and up. */
export type Command = {
  file: string
  args: string[]
  cwd: string
  env: Record<string, string>
  feeds: Feed[]
  /** The user id of the command; defaults to the user of this process. */
  user?: number
  /** A value in the environment of all processes of the command. Processes that left the process group are found by this value. */
  mark?: string
  /** Whether the program kills all its descendants when the pipe on descriptor 3 closes. */
  killsDescendants?: boolean
  /** Called when the command has ended. */
  onEnd?: () => void
}
/** The content of a pipe, which is then closed; or `open`, a pipe that stays open as long as this process runs. */
type Feed = string | Buffer | 'open'

export type CommandLimits = {
  timeoutMs: number
  outputBytes: number
  /** The most processes of the command and its descendants. They are counted many times a second. */
  processes: number
  memoryBytes: number
}

export type CommandEnd =
  | { kind: 'exited'; code: number }
  | { kind: 'signalled'; signal: string }
  | { kind: 'stopped'; reason: 'cancelled' | 'timeout' | 'output' | 'processes' | 'memory' }
export type CommandResult = { end: CommandEnd; output: string; errorOutput: string }

/** The bytes of the output that are returned. More of the end is returned, because errors are usually at the end. */
const outputLimits = { head: 10_000, tail: 20_000 }
const errorOutputLimits = { head: 1_000, tail: 1_000 }
/** The interval of measuring processes and memory. It is short, because a fork bomb doubles within milliseconds. */
const watchEveryMs = 50
/** Output is read for at most this time after the command has exited. */
const exitGraceMs = 1000

/** A command with `killsDescendants` must end its descendants within this time. */
const closeGraceMs = 1000

/** The most searches for remaining processes, which can fork while they are killed. */
const maxSearches = 5

/** A command that is running. */
export type RunningCommand = {
  /** Its standard input, if it was requested. */
  input: Writable | null
  /** Returns its output so far, shortened in the middle. */
  output: () => string
  /** Resolves with its result. Rejects if it could not be started. */
  ended: Promise<CommandResult>
}

/** `hasInput`: the command gets a pipe as its standard input. `onOutput` is called with each piece of output. */
type CommandIo = { hasInput?: boolean; onOutput?: (bytes: Buffer) => void; watchEveryMs?: number }

/** Runs a command until it ends. */
export function runCommand(command: Command, limits: CommandLimits, signal: AbortSignal): Promise<CommandResult> {
  return startCommand(command, limits, signal).ended
}

/**
 * Runs a command in a new process group. At its end, kills all processes of the group and all that have its mark.
 * `output` is its standard output, shortened in the middle; `errorOutput` is its standard error.
 */
export function startCommand(
  command: Command,
  limits: CommandLimits,
  signal: AbortSignal,
  io: CommandIo = {},
): RunningCommand {
  const { promise: ended, resolve, reject } = Promise.withResolvers<CommandResult>()
  const output = new TerminalText(outputLimits)
  const errorOutput = new TerminalText(errorOutputLimits)
  const running = { output: () => output.text(), ended }
  const child = spawnGroup(command, io.hasInput === true)
  child.on('error', reject)
  const { stdin, stdout, stderr } = child
  // Without free file descriptors, the process has no pipes; the `error` event follows.
  if (!stdout || !stderr) return { ...running, input: null }
  const stopper = new CommandStopper(child, command)
  const stopWatching = watchLimits(child.pid, limits, io.watchEveryMs ?? watchEveryMs, (reason) => stopper.stop(reason))
  const onAbort = () => stopper.stop('cancelled')
  const onExit = () => {
    stopWatching()
    signal.removeEventListener('abort', onAbort)
    stopper.killAll()
    command.onEnd?.()
  }

  // The command can exit before it has read its whole input. Its exit status says why.
  stdin?.on('error', () => {})
  stdout.on('data', (bytes: Buffer) => {
    output.add(bytes)
    io.onOutput?.(bytes)
    if (output.totalBytes > limits.outputBytes) stopper.stop('output')
  })
  stderr.on('data', (bytes: Buffer) => errorOutput.add(bytes))
  for (const [index, feed] of command.feeds.entries()) feedInto(child.stdio[3 + index] as NodeJS.WritableStream, feed)
  child.on('error', onExit)
  child.on('exit', onExit)
  closeAfterExit(child, [stdout, stderr])
  child.on('close', (code, name) => {
    const end: CommandEnd = name ? { kind: 'signalled', signal: name } : { kind: 'exited', code: code ?? 0 }
    resolve({ end: stopper.end ?? end, output: output.text(), errorOutput: errorOutput.text() })
  })
  if (signal.aborted) onAbort()
  signal.addEventListener('abort', onAbort, { once: true })
  return { ...running, input: stdin }
}

/**
 * Closes the output pipes `exitGraceMs` after the command has exited. The command has ended then, and its remaining processes are
 * killed, but a process that escaped could hold the pipes open forever.
 */
function closeAfterExit(child: ChildProcess, pipes: Readable[]): void {
  let timer: NodeJS.Timeout | undefined
  child.on('exit', () => {
    timer = setTimeout(() => {
      for (const pipe of pipes) pipe.destroy()
    }, exitGraceMs)
  })
  child.on('close', () => clearTimeout(timer))
}

type StopReason = Extract<CommandEnd, { kind: 'stopped' }>['reason']

/** Stops a running command. */
class CommandStopper {
  readonly #child: ChildProcess
  readonly #command: Pick<Command, 'killsDescendants' | 'mark'>
  #end: CommandEnd | undefined
  #killTimer: NodeJS.Timeout | undefined

  constructor(child: ChildProcess, command: Pick<Command, 'killsDescendants' | 'mark'>) {
    this.#child = child
    this.#command = command
  }

  /** The first reason for which the command was stopped; undefined if it was not stopped. */
  get end(): CommandEnd | undefined {
    return this.#end
  }

  stop(reason: StopReason): void {
    this.#end ??= { kind: 'stopped', reason }
    if (!this.#command.killsDescendants) return killGroup(this.#child.pid)
    this.#child.stdio[3]?.destroy()
    this.#killTimer ??= setTimeout(() => killGroup(this.#child.pid), closeGraceMs)
  }

  /** Kills what remains of the command after it has ended. */
  killAll(): void {
    clearTimeout(this.#killTimer)
    killGroup(this.#child.pid)
    if (this.#command.mark !== undefined) killStrays(this.#command.mark)
  }
}

/** Calls `stop` when the command exceeds its time, processes or memory. @returns a function that ends the checks. */
function watchLimits(
  pid: number | undefined,
  { timeoutMs, processes, memoryBytes }: CommandLimits,
  intervalMs: number,
  stop: (reason: StopReason) => void,
): () => void {
  const timer = Number.isFinite(timeoutMs) ? setTimeout(stop, timeoutMs, 'timeout') : undefined
  const watchTimer = setInterval(() => {
    const tree = measureTree(pid, processes)
    if (tree.processes > processes) stop('processes')
    else if (tree.memoryBytes > memoryBytes) stop('memory')
  }, intervalMs)
  return () => {
    clearTimeout(timer)
    clearInterval(watchTimer)
  }
}

/** Starts the command as the leader of a new process group, with a lower priority than this process. */
function spawnGroup({ file, args, cwd, env, user, feeds }: Command, hasInput: boolean): ChildProcess {
  const pipes = feeds.map(() => 'pipe' as const)
  const child = spawn(file, args, {
    cwd,
    env,
    ...(user !== undefined && { uid: user, gid: user }),
    detached: true,
    stdio: withoutInheritedFiles([hasInput ? 'pipe' : 'ignore', 'pipe', 'pipe', ...pipes]),
  })
  if (child.pid) void lowerPriority(child.pid)
  return child
}

function feedInto(pipe: NodeJS.WritableStream, feed: Feed): void {
  // The command can exit before it has read the whole feed. That is not an error.
  pipe.on('error', () => {})
  if (feed !== 'open') pipe.end(feed)
}

function killStrays(mark: string): void {
  for (let search = 0; search < maxSearches && killMarked(mark) > 0; search++);
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // The group has ended already.
  }
}
