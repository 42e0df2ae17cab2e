import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { waitAtMost } from '#platform/async/wait-at-most.ts'
import { findEndReason } from '#platform/process/error-output.ts'
import { withoutInheritedFiles } from '#platform/process/inherited-files.ts'
import { lowerPriority } from '#platform/process/process-priority.ts'
import type { Channel } from './connection.ts'

/** The command of an agent. `env` is its whole environment. */
export type AgentCommand = { command: string; args: string[]; env: Record<string, string> }

type AgentProcess = Channel & {
  pid: number
  /** Resolves with the reason of its end, for people. Never rejects. */
  exited: Promise<string>
  /** Closes the agent's input, then sends SIGTERM, then SIGKILL. Resolves when all its processes have ended. */
  stop(): Promise<void>
  /** Ends the agent and all its children at once. */
  kill(): void
}

const setpriv = '/usr/bin/setpriv'
/** The size of the last part of the agent's error output, which explains its end. */
const stderrTailBytes = 4096
/** codex needs two seconds to end after its input is closed. */
const stopTimeouts = { afterEofMs: 3000, afterTermMs: 1000 }

/**
 * Starts the agent as leader of a new process group, so that all its processes can be ended. If the daemon is killed, the
 * agent's input ends, and with util-linux the kernel sends the agent SIGTERM. The next daemon kills processes that ignore
 * both, which it finds by their marker.
 */
export async function startAgent(agent: AgentCommand, workspace: string): Promise<AgentProcess> {
  const { command, args } = existsSync(setpriv)
    ? { command: setpriv, args: ['--pdeathsig', 'TERM', '--', agent.command, ...agent.args] }
    : agent
  const child = spawn(command, args, {
    cwd: workspace,
    env: agent.env,
    detached: true,
    stdio: withoutInheritedFiles(['pipe', 'pipe', 'pipe']),
  }) as ChildProcessWithoutNullStreams
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve)
    child.once('error', (error) => reject(new Error(`The agent could not be started: ${error.message}`)))
  })
  void lowerPriority(child.pid!)
  child.on('error', () => {})
  child.stdin.on('error', () => {})
  return { input: child.stdout, output: child.stdin, pid: child.pid!, ...watchProcess(child, readStderrTail(child)) }
}

function watchProcess(child: ChildProcess, stderrReason: () => string): Pick<AgentProcess, 'exited' | 'stop' | 'kill'> {
  const group = -child.pid!
  let hasExited = false
  const signal = (name: NodeJS.Signals) => void (hasExited || sendSignal(group, name))
  const exited = new Promise<string>((resolve) => {
    child.once('exit', (code, by) => {
      // Child processes that are still running would keep its pipes open.
      signal('SIGKILL')
      hasExited = true
      const exitText = by ? `was killed by ${by}` : `exited with code ${code}`
      const reason = stderrReason()
      resolve(`The agent ${exitText}${reason && `: ${reason}`}`)
    })
  })
  const stop = async () => {
    child.stdin?.end()
    await waitAtMost(stopTimeouts.afterEofMs, exited)
    if (hasExited) return
    signal('SIGTERM')
    await waitAtMost(stopTimeouts.afterTermMs, exited)
    if (hasExited) return
    signal('SIGKILL')
    await exited
  }
  return { exited, stop, kill: () => signal('SIGKILL') }
}

/** Reads the agent's error output, because a full pipe would block the agent, and keeps the end of it. */
function readStderrTail(child: ChildProcess): () => string {
  let tail = Buffer.alloc(0)
  child.stderr?.on('error', () => {})
  child.stderr?.on('data', (chunk: Buffer) => {
    tail = Buffer.concat([tail, chunk.subarray(-stderrTailBytes)]).subarray(-stderrTailBytes)
  })
  return () => findEndReason(tail.toString('utf8'))
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // The process, or its group, has already ended.
  }
}
