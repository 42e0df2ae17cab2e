import { randomUUID } from 'node:crypto'
import { markerVariable } from '#lib/process-marker.ts'
import { type CommandLimits, type CommandResult, runCommand } from './command.ts'
import { findSandbox, type SandboxMethod, sandboxMethods } from './sandbox.ts'
import type { SandboxOptions } from './sandbox-inside.ts'
import { unsandboxed } from './unsandboxed.ts'

/** Runs the commands that the model writes. */
export type Shell = {
  /** Why there is no sandbox here; undefined when there is one. Tried again until it works. */
  whyNoSandbox: (workspace: string) => Promise<string | undefined>
  /** Whether, without a sandbox, a command may run with a person's consent. The operator decides. */
  withoutSandbox: WithoutSandbox
  /** @throws Error when it is to be in the sandbox and there is none. */
  run: (script: string, options: ShellOptions) => Promise<CommandResult>
}
export type WithoutSandbox = 'refuse' | 'consent'
export type ShellOptions = { workspace: string; sandbox: boolean; timeoutMs: number; signal: AbortSignal }

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
  return {
    whyNoSandbox: find,
    withoutSandbox: deps.withoutSandbox ?? 'refuse',
    async run(script, { workspace, sandbox, timeoutMs, signal }) {
      const limits = { ...defaults, timeoutMs, ...deps.limits }
      if (!sandbox) {
        // Outside the sandbox a command may use what its user may.
        const here = { ...limits, processes: Infinity, memoryBytes: Infinity }
        return runCommand(unsandboxed(script, workspace, deps.env, `${ownMark}${++started}.`), here, signal)
      }
      const why = await find(workspace)
      if (!works) throw new Error(why)
      const cpuSeconds = Math.ceil(timeoutMs / 1000) * 4
      return runCommand(works.command(script, workspace, cpuSeconds), limits, signal)
    },
  }
}
