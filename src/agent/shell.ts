import { type CommandLimits, type CommandResult, runCommand } from './command.ts'
import { type SandboxOptions, sandboxed, whyNoSandbox } from './sandbox.ts'
import { unsandboxed } from './unsandboxed.ts'

/** How the shell tool runs what the model writes. */
export type Shell = {
  /** Why there is no sandbox here; undefined when there is one. Tried again until it works. */
  whyNoSandbox: (workspace: string) => Promise<string | undefined>
  run: (script: string, options: ShellOptions) => Promise<CommandResult>
}
export type ShellOptions = { workspace: string; sandbox: boolean; timeoutMs: number; signal: AbortSignal }

const defaults = { outputBytes: 64 * 1024 * 1024, processes: 512, memoryBytes: 4 * 1024 ** 3 }

/** `env` is the agent's own: commands get a cleaned part of it. `limits` narrow the defaults. */
export function createShell(deps: {
  env: Record<string, string | undefined>
  sandbox: SandboxOptions
  limits?: Partial<CommandLimits>
}): Shell {
  let works = false
  return {
    async whyNoSandbox(workspace) {
      const why = works ? undefined : await whyNoSandbox(workspace, deps.sandbox)
      works = why === undefined
      return why
    },
    run(script, { workspace, sandbox, timeoutMs, signal }) {
      const limits = { ...defaults, timeoutMs, ...deps.limits }
      const cpuSeconds = Math.ceil(timeoutMs / 1000) * 4
      const command = sandbox
        ? sandboxed(script, workspace, cpuSeconds, deps.sandbox)
        : unsandboxed(script, workspace, deps.env)
      // Outside the sandbox a command may use what its user may.
      const here = sandbox ? limits : { ...limits, processes: Infinity, memoryBytes: Infinity }
      return runCommand(command, here, signal)
    },
  }
}
