import { randomUUID } from 'node:crypto'
import { markerVariable } from '#platform/process/process-marker.ts'
import { type CommandLimits, type CommandResult, type RunningCommand, startCommand } from './command.ts'
import { findSandbox, listSandboxMethods, type SandboxMethod } from './sandbox.ts'
import type { SandboxedScript, SandboxOptions } from './sandbox-contents.ts'
import { createUnsandboxedCommand } from './unsandboxed.ts'

/** Runs the commands that the model writes. */
export type Shell = {
  /** Returns the reason why commands cannot run in a sandbox; undefined if they can. A failure is not cached. */
  sandboxError: (workspace: string) => Promise<string | undefined>
  /**
   * The treatment of commands on hosts without a sandbox. `refuse`: commands cannot run. `consent`: a command can run if a person
   * allows it. `pod`: commands run without a sandbox, because the intern's pod is one.
   */
  sandboxFallback: SandboxFallback
  /** Paths of the host, in addition to the system's programs, that every command in the sandbox can read. */
  readable: string[]
  /** @throws Error if `options` require the sandbox and it is not available. */
  run: (script: string, options: ShellOptions) => Promise<CommandResult>
  /** Starts a command that runs until it exits or `signal` aborts. @throws Error as `run`. */
  start: (script: string, options: StartOptions) => Promise<RunningCommand>
}
export type SandboxFallback = 'refuse' | 'consent' | 'pod'
/** `onOutput` is called with the output while the command runs. */
export type ShellOptions = {
  workspace: string
  sandbox: boolean
  timeoutMs: number
  signal: AbortSignal
  onOutput?: (bytes: Buffer) => void
}

/** `hasInput`: the program has a standard input, and its standard error is not part of its output. */
export type StartOptions = Omit<ShellOptions, 'timeoutMs'> & {
  onOutput: (bytes: Buffer) => void
  hasInput?: boolean
  /** Paths that the program can read in the sandbox in addition to `Shell.readable`. */
  readable?: string[]
}

/**
 * Limits of commands without a timeout. Their memory and processes are checked less often than those of short commands. Servers and
 * watchers do not reach a day of processor time.
 */
const longRunningLimits = { timeoutMs: Infinity, outputBytes: Infinity, watchEveryMs: 500, cpuSeconds: 86_400 }

/**
 * The most processor time of a command for each second of its timeout: that of four busy threads. The kernel counts all
 * threads.
 */
const cpuSecondsPerSecond = 4

const defaultLimits = { outputBytes: 64 * 1024 * 1024, processes: 512, memoryBytes: 4 * 1024 ** 3 }

/**
 * Creates a shell. Commands get selected variables of `env`, the agent's environment. `limits` override the defaults and the
 * timeout of `run`; they do not override the timeout and output limit of `start`, which are infinite.
 */
export function createShell(deps: ShellDeps): Shell {
  return new CommandShell(deps)
}

type ShellDeps = {
  env: Record<string, string | undefined>
  sandbox: SandboxOptions
  sandboxFallback?: SandboxFallback
  limits?: Partial<CommandLimits>
}

class CommandShell implements Shell {
  readonly sandboxFallback: SandboxFallback
  readonly readable: string[]
  readonly #deps: ShellDeps
  /** Starts with the mark of the agent, by which the daemon finds and ends all remaining processes. */
  readonly #agentMark: string
  #startCount = 0
  #usableMethod: SandboxMethod | undefined

  constructor(deps: ShellDeps) {
    this.#deps = deps
    this.#agentMark = `${deps.env[markerVariable] ?? ''}${randomUUID()}.`
    this.sandboxFallback = deps.sandboxFallback ?? 'refuse'
    this.readable = deps.sandbox.readable
  }

  async sandboxError(workspace: string): Promise<string | undefined> {
    const method = await this.#findMethod(workspace)
    return typeof method === 'string' ? method : undefined
  }

  async run(script: string, { workspace, sandbox, timeoutMs, signal, onOutput }: ShellOptions): Promise<CommandResult> {
    const cpuSeconds = Math.ceil(timeoutMs / 1000) * cpuSecondsPerSecond
    const runLimits = { ...defaultLimits, timeoutMs, ...this.#deps.limits }
    const { command, limits } = await this.#createCommand({ script, workspace, cpuSeconds }, sandbox, runLimits)
    return startCommand(command, limits, signal, onOutput && { onOutput }).ended
  }

  async start(
    script: string,
    { workspace, sandbox, signal, onOutput, hasInput = false, readable = [] }: StartOptions,
  ): Promise<RunningCommand> {
    const { cpuSeconds, watchEveryMs, ...startLimits } = longRunningLimits
    const sandboxedScript = { script, workspace, cpuSeconds, separateStderr: hasInput, readable }
    const allLimits = { ...defaultLimits, ...this.#deps.limits, ...startLimits }
    const { command, limits } = await this.#createCommand(sandboxedScript, sandbox, allLimits)
    return startCommand(command, limits, signal, { watchEveryMs, hasInput, onOutput })
  }

  /** Returns a method that works, or the reason why none does. */
  async #findMethod(workspace: string): Promise<SandboxMethod | string> {
    if (this.#usableMethod) return this.#usableMethod
    const search = await findSandbox(listSandboxMethods(this.#deps.sandbox), workspace)
    if ('reason' in search) return search.reason
    this.#usableMethod = search.method
    return this.#usableMethod
  }

  async #createCommand(sandboxedScript: SandboxedScript, sandbox: boolean, limits: CommandLimits) {
    if (!sandbox) {
      const { script, workspace, separateStderr } = sandboxedScript
      const mark = `${this.#agentMark}${++this.#startCount}.`
      const command = createUnsandboxedCommand(script, workspace, this.#deps.env, mark, separateStderr)
      // Outside the sandbox only the limits of the user apply.
      return { command, limits: { ...limits, processes: Infinity, memoryBytes: Infinity } }
    }
    const method = await this.#findMethod(sandboxedScript.workspace)
    if (typeof method === 'string') throw new Error(method)
    return { command: method.command(sandboxedScript), limits }
  }
}
