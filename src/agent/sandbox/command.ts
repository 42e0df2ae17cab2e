import { type ChildProcess, spawn } from 'node:child_process'
import type { Writable } from 'node:stream'
import { withoutInherited } from '#platform/process/inherited-files.ts'
import { killMarked } from '#platform/process/process-marker.ts'
import { lowerPriority } from '#platform/process/process-priority.ts'
import { treeOf } from './process-tree.ts'
import { terminalText } from './terminal-text.ts'

/** A program to run, ready to start. `feeds` are given to it on file descriptors 3 and up. */
export type Command = {
  file: string
  args: string[]
  cwd: string
  env: Record<string, string>
  feeds: Feed[]
  /** The user it runs as; by default ours. */
  user?: number
  /** What stands in the environment of all its processes: by it those are found that left its group. */
  mark?: string
  /** Whether it ends all its descendants when the pipe on descriptor 3 closes. */
  endsItself?: boolean
  /** Called when the command is over. */
  ended?: () => void
}
/** Bytes and the end of them; or a pipe that stays open as long as this process lives. */
export type Feed = string | Buffer | 'open'

export type CommandLimits = {
  timeoutMs: number
  outputBytes: number
  /** Of the command and all it started; looked at many times a second. */
  processes: number
  memoryBytes: number
}

export type CommandEnd =
  | { how: 'exited'; code: number }
  | { how: 'signalled'; signal: string }
  | { how: 'stopped'; why: 'cancelled' | 'timeout' | 'output' | 'processes' | 'memory' }
export type CommandResult = { end: CommandEnd; output: string; complaint: string }

const kept = { head: 10_000, tail: 20_000 }
const watchEveryMs = 50
/** The output of a command is read for this long after it has ended. */
const exitGraceMs = 1000

/** A command that ends itself has this long for that. */
const selfEndMs = 1000

/** What forks while it is being ended is looked for again, so often. */
const searches = 5

/** A command that goes on. */
export type RunningCommand = {
  /** Its standard input, where it was wanted. */
  input: Writable | null
  /** What it printed so far, shortened in the middle. */
  output: () => string
  /** How it ended. Rejects when it could not be started. */
  ended: Promise<CommandResult>
}

/** `onOutput` gets what is printed as it comes. */
export type CommandTalk = { input?: boolean; onOutput?: (bytes: Buffer) => void; watchEveryMs?: number }

/** Runs a command to its end. */
export function runCommand(command: Command, limits: CommandLimits, signal: AbortSignal): Promise<CommandResult> {
  return startCommand(command, limits, signal).ended
}

/**
 * Runs a command in a process group of its own, and leaves nothing of the group behind, nor of what bears its mark.
 * `output` is its standard output, shortened in the middle; `complaint` its standard error.
 */
export function startCommand(
  command: Command,
  limits: CommandLimits,
  signal: AbortSignal,
  talk: CommandTalk = {},
): RunningCommand {
  const { promise: ended, resolve, reject } = Promise.withResolvers<CommandResult>()
  const [output, complaint] = [terminalText(kept), terminalText({ head: 1_000, tail: 1_000 })]
  const child = spawnGroup(command, talk.input === true)
  child.on('error', reject)
  const { stdout, stderr } = child
  // Out of file descriptors: there is neither a process nor a pipe to one, and its error comes in a moment.
  if (!stdout || !stderr) return { input: null, output: output.text, ended }
  let stopped: CommandEnd | undefined
  const kill = () => killGroup(child.pid)
  let hardKill: NodeJS.Timeout | undefined
  const stop = (why: Extract<CommandEnd, { how: 'stopped' }>['why']) => {
    stopped ??= { how: 'stopped', why }
    if (!command.endsItself) return kill()
    child.stdio[3]?.destroy()
    hardKill ??= setTimeout(kill, selfEndMs)
  }
  const onAbort = () => stop('cancelled')
  const timer = Number.isFinite(limits.timeoutMs) ? setTimeout(stop, limits.timeoutMs, 'timeout') : undefined
  const watch = setInterval(() => {
    const tree = treeOf(child.pid, limits.processes)
    if (tree.processes > limits.processes) stop('processes')
    else if (tree.memoryBytes > limits.memoryBytes) stop('memory')
  }, talk.watchEveryMs ?? watchEveryMs)
  const settle = () => {
    clearTimeout(timer)
    clearTimeout(hardKill)
    clearInterval(watch)
    signal.removeEventListener('abort', onAbort)
    kill()
    if (command.mark !== undefined) killStrays(command.mark)
    command.ended?.()
  }

  // The reader may be gone before it has read all: how it ended tells why.
  child.stdin?.on('error', () => {})
  stdout.on('data', (bytes: Buffer) => {
    output.add(bytes)
    talk.onOutput?.(bytes)
    if (output.total() > limits.outputBytes) stop('output')
  })
  stderr.on('data', complaint.add)
  command.feeds.forEach((feed, index) => {
    feedInto(child.stdio[3 + index] as NodeJS.WritableStream, feed)
  })
  child.on('error', settle)
  // The command is over when it exits. Processes that it left behind may hold its output open; they are ended now. A
  // process that has also left its group is not waited for.
  child.on('exit', () => {
    settle()
    late = setTimeout(() => [stdout, stderr].forEach((pipe) => void pipe.destroy()), exitGraceMs)
  })
  let late: NodeJS.Timeout | undefined
  child.on('close', (code, name) => {
    clearTimeout(late)
    const end: CommandEnd = name ? { how: 'signalled', signal: name } : { how: 'exited', code: code ?? 0 }
    resolve({ end: stopped ?? end, output: output.text(), complaint: complaint.text() })
  })
  if (signal.aborted) onAbort()
  signal.addEventListener('abort', onAbort, { once: true })
  return { input: child.stdin, output: output.text, ended }
}

/** Starts it as the leader of a process group of its own, with less of a claim on the processor than we have. */
function spawnGroup({ file, args, cwd, env, user, feeds }: Command, input: boolean): ChildProcess {
  const pipes = feeds.map(() => 'pipe' as const)
  const child = spawn(file, args, {
    cwd,
    env,
    ...(user !== undefined && { uid: user, gid: user }),
    detached: true,
    stdio: withoutInherited([input ? 'pipe' : 'ignore', 'pipe', 'pipe', ...pipes]),
  })
  if (child.pid) void lowerPriority(child.pid)
  return child
}

function feedInto(pipe: NodeJS.WritableStream, feed: Feed): void {
  // The reader may be gone before it has read all: nobody misses the rest.
  pipe.on('error', () => {})
  if (feed !== 'open') pipe.end(feed)
}

function killStrays(mark: string): void {
  for (let search = 0; search < searches && killMarked(mark) > 0; search++);
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // The group is gone already.
  }
}
