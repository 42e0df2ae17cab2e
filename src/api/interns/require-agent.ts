import type { ModelLookup } from '#gateway/request/catalogue-lookup.ts'
import { resolveModels } from '#gateway/request/resolve-models.ts'
import type { AgentChoice } from '#interns/registry/intern.ts'
import type { Config } from '#platform/config/settings.ts'
import { Fault } from '#platform/core/fault.ts'
import { ownValue } from '#platform/core/own-value.ts'
import { printable } from '#platform/text/printable.ts'

type AgentDeps = {
  config: Pick<Config, 'agents' | 'allow_custom_agents'>
  /** Whether a command can be run, with the agent's PATH or with that of the service. */
  hasProgram: (command: string, path?: string) => boolean
}

type AgentCommand = Pick<Exclude<AgentChoice, string>, 'command' | 'env'>

/** @throws Fault if the settings do not allow this agent, or its program is not installed on this server. */
export function requireAgent({ config, hasProgram }: AgentDeps, agent: AgentChoice | null): void {
  if (agent === null) return
  const { command, env } = findAllowedAgent(config, agent)
  if (hasProgram(command, env.PATH)) return
  throw new Fault(
    'invalid',
    `Invalid request: agent: ${printable(JSON.stringify(command))} is not installed on this server; install it on the PATH of the service, or configure its path (setting agents)`,
  )
}

function findAllowedAgent(config: AgentDeps['config'], agent: AgentChoice): AgentCommand {
  if (typeof agent === 'string') {
    const configured = ownValue(config.agents, agent)
    if (configured) return configured
    const names = Object.keys(config.agents).join(', ') || 'none'
    throw new Fault('invalid', `Invalid request: agent: no agent has this name. Configured agents: ${names}`)
  }
  if (config.allow_custom_agents) return agent
  throw new Fault(
    'forbidden',
    'This server does not allow custom agent commands (setting allow_custom_agents). Use a configured agent instead.',
  )
}

/**
 * Checks the builtin agent's model when the intern is created, not only in its first turn. A preset, also one after
 * a model (`model@preset/slug`), is not checked, because it can be created later. `script` is the builtin offline model,
 * which the catalogue does not list. Other agents have their own model names.
 * @throws Fault `invalid`.
 */
export function requireModel(
  catalogue: ModelLookup,
  { model, agent }: { model?: string | null; agent?: unknown },
): void {
  if (agent || !model || model === 'script' || model.includes('@preset/')) return
  try {
    resolveModels(catalogue, { model })
  } catch (error) {
    throw error instanceof Fault ? new Fault('invalid', `Invalid request: model: ${error.message}`) : error
  }
}
