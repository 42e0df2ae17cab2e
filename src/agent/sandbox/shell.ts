import { randomUUID } from 'node:crypto'
import { markerVariable } from '#platform/process/process-marker.ts'
import { type CommandLimits, type CommandResult, type RunningCommand, startCommand } from './command.ts'
import { findSandbox, type SandboxMethod, sandboxMethods } from './sandbox.ts'
import type { Inside, SandboxOptions } from './sandbox-inside.ts'
import { unsandboxed } from './unsandboxed.ts'

/** Runs the commands that the model writes. */
export type Shell = {
  /** Why there is no sandbox here; undefined when there is one. Tried again until it works. */
  whyNoSandbox: (workspace: string) => Promise<string | undefined>
  /**
   * Whether, without a sandbox, a command may run with a person's consent. The operator decides. `pod`: none is made, for
   * the pod that all of the intern runs in is one.
   */
  withoutSandbox: WithoutSandbox
  /** Paths of the host that every command in the sandbox can read besides the system's programs. */
  readable: string[]
  /** @throws Error when it is to be in the sandbox and there is none. */
  run: (script: string, options: ShellOptions) => Promise<CommandResult>
  /** Starts what goes on until it ends by itself or `signal` aborts. @throws Error as `run`. */
  start: (script: string, options: StartOptions) => Promise<RunningCommand>
}
export type WithoutSandbox = 'refuse' | 'consent' | 'pod'
/** `onOutput` gets the output as it is printed. */
export type ShellOptions = {
  workspace: string
  sandbox: boolean
  timeoutMs: number
  signal: AbortSignal
  onOutput?: (bytes: Buffer) => void
}

/** `talks`: the program has a standard input, and its standard error is separate from its output. */
export type StartOptions = Omit<ShellOptions, 'timeoutMs'> & {
  onOutput: (bytes: Buffer) => void
  talks?: boolean
  /** Paths that the program can read in the sandbox in addition to `Shell.readable`. */
  readable?: string[]
}

/** What runs long is looked at less often. */
const longRunning = { timeoutMs: Infinity, outputBytes: Infinity, watchEveryMs: 500, cpuSeconds: 86_400 }

const defaults = { outputBytes: 64 * 1024 * 1024, processes: 512, memoryBytes: 4 * 1024 ** 3 }

/** `env` is the agent's own: commands get a cleaned part of it. `limits` narrow the defaults. */
export function createShell(deps: {
  env: Record<string, string | undefined>
  sandbox: SandboxOptions
  withoutSandbox?: WithoutSandbox
  limits?: Partial<CommandLimits>
}): Shell {
  // Behind the mark of the agent, by which the daemon ends all that is left of it.
  const ownMark = `${deps.env[markerVariable] ?? ''}${randomUUID()}.`
  let started = 0
  let works: SandboxMethod | undefined
  const find = async (workspace: string) => {
    if (works) return undefined
    const found = await findSandbox(sandboxMethods(deps.sandbox), workspace)
    if ('why' in found) return found.why
    works = found.way
    return undefined
  }
  const commandFor = async (inside: Inside, sandbox: boolean, limits: CommandLimits) => {
    if (!sandbox) {
      const { script, workspace, apart } = inside
      const command = unsandboxed(script, workspace, deps.env, `${ownMark}${++started}.`, apart)
      // Outside the sandbox a command may use what its user may.
      return { command, limits: { ...limits, processes: Infinity, memoryBytes: Infinity } }
    }
    const why = await find(inside.workspace)
    if (!works) throw new Error(why)
    return { command: works.command(inside), limits }
  }
  return {
    whyNoSandbox: find,
    withoutSandbox: deps.withoutSandbox ?? 'refuse',
    readable: deps.sandbox.readable,
    async run(script, { workspace, sandbox, timeoutMs, signal, onOutput }) {
      const inside = { script, workspace, cpuSeconds: Math.ceil(timeoutMs / 1000) * 4 }
      const { command, limits } = await commandFor(inside, sandbox, { ...defaults, timeoutMs, ...deps.limits })
      return startCommand(command, limits, signal, onOutput && { onOutput }).ended
    },
    async start(script, { workspace, sandbox, signal, onOutput, talks = false, readable = [] }) {
      const { cpuSeconds, watchEveryMs, ...long } = longRunning
      const inside = { script, workspace, cpuSeconds, apart: talks, readable }
      const { command, limits } = await commandFor(inside, sandbox, { ...defaults, ...deps.limits, ...long })
      return startCommand(command, limits, signal, { watchEveryMs, input: talks, onOutput })
    },
  }
}
