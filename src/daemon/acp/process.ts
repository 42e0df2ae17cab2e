import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { withoutInherited } from '#platform/process/inherited-files.ts'
import { lowerPriority } from '#platform/process/process-priority.ts'
import type { Channel } from './connection.ts'

/** The command of an agent. `env` is its whole environment. */
export type AgentCommand = { command: string; args: string[]; env: Record<string, string> }

export type AgentProcess = Channel & {
  pid: number
  /** Resolves with the reason of its end, in words. Never rejects. */
  exited: Promise<string>
  /** Asks it to end by closing its input, then by a signal, then makes it. Resolves when nothing of it is left. */
  stop(): Promise<void>
  /** Ends it and all its children at once. */
  kill(): void
}

/** An agent that could not be started at all. */
export class NotStarted extends Error {}

const setpriv = '/usr/bin/setpriv'
/** The last part of the agent's error output that is kept to explain its end. */
const keptStderrBytes = 4096
/** codex takes two seconds to leave after its input is closed. */
const patience = { afterEofMs: 3000, afterTermMs: 1000 }

/**
 * Starts the agent at the head of a process group of its own, so that all of it can be ended. When the daemon dies
 * without a chance to do so, the end of its input tells the agent, and where util-linux is there a signal of the kernel;
 * what hears neither is found by its mark when the next daemon starts.
 */
export async function startAgent(agent: AgentCommand, workspace: string): Promise<AgentProcess> {
  const pact = existsSync(setpriv) ? [setpriv, '--pdeathsig', 'TERM', '--'] : []
  const [command = agent.command, ...args] = [...pact, agent.command, ...agent.args]
  const child = spawn(command, args, {
    cwd: workspace,
    env: agent.env,
    detached: true,
    stdio: withoutInherited(['pipe', 'pipe', 'pipe']),
  }) as ChildProcessWithoutNullStreams
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve)
    child.once('error', (error) => reject(new NotStarted(`The agent could not be started: ${error.message}`)))
  })
  void lowerPriority(child.pid!)
  child.on('error', () => {})
  child.stdin.on('error', () => {})
  return { input: child.stdout, output: child.stdin, pid: child.pid!, ...watch(child, keepStderr(child)) }
}

function watch(child: ChildProcess, lastWords: () => string): Pick<AgentProcess, 'exited' | 'stop' | 'kill'> {
  const group = -child.pid!
  let left = false
  const signal = (name: NodeJS.Signals) => void (left || send(group, name))
  const exited = new Promise<string>((resolve) => {
    child.once('exit', (code, by) => {
      // Processes that it left running would hold its pipes open and outlive it.
      signal('SIGKILL')
      left = true
      const how = by ? `was killed by ${by}` : `exited with code ${code}`
      const why = lastWords()
      resolve(`The agent ${how}${why && `: ${why}`}`)
    })
  })
  const stop = async () => {
    child.stdin?.end()
    if (await settles(exited, patience.afterEofMs)) return
    signal('SIGTERM')
    if (await settles(exited, patience.afterTermMs)) return
    signal('SIGKILL')
    await exited
  }
  return { exited, stop, kill: () => signal('SIGKILL') }
}

/** Reads all that the agent complains and keeps the end of it: a full pipe would stop the agent. */
function keepStderr(child: ChildProcess): () => string {
  let kept = Buffer.alloc(0)
  child.stderr?.on('error', () => {})
  child.stderr?.on('data', (chunk: Buffer) => {
    kept = Buffer.concat([kept, chunk.subarray(-keptStderrBytes)]).subarray(-keptStderrBytes)
  })
  return () => whyEnded(kept.toString('utf8'))
}

/** The last error that is named, or the last lines: under a stack, its end says nothing. */
function whyEnded(complaints: string): string {
  const lines = complaints.split('\n').filter((line) => line.trim() !== '')
  const named = lines.findLast((line) => /^(\w+ )*\w*(error|exception|panic)\b.*:/i.test(line))
  return (named ?? lines.slice(-3).join(' ')).trim().slice(-500)
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It is gone already.
  }
}

async function settles(promise: Promise<unknown>, withinMs: number): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<false>()
  const timer = setTimeout(resolve, withinMs, false)
  try {
    return await Promise.race([promise.then(() => true), late])
  } finally {
    clearTimeout(timer)
  }
}
