import type { Intern } from '#interns/registry/store.ts'
import type { Config } from '#platform/config/settings.ts'
import { authorityEnvironment } from '#platform/net/authorities.ts'
import { type ProxySettings, proxyEnvironment } from '#platform/net/proxies.ts'
import type { AgentCommand } from '../host/intern-home.ts'

/** Where a daemon and its agent find what they need. */
export type AgentPlaces = {
  /** Node, and the script of the builtin agent. */
  node: string
  builtin: string
  instructions: string
  baseUrl: string
  /** The system-wide configuration of git. */
  gitConfig: string
  /** The file of trusted authorities, if not the system's alone. */
  authorities: string | undefined
  /** The folder that the builtin agent remembers in, and the one for its compiled code. */
  state: string
  compileCache: string
}

type AgentCommandDeps = {
  config: Pick<Config, 'agents' | 'default_intern_model'> & ProxySettings
  places: AgentPlaces
  secret: string
  /** The service itself, as the agent reaches it. */
  baseUrl: string
  /** What the builtin agent is told of its sandbox, as environment variables. */
  sandbox: Record<string, string>
}

/**
 * The command that runs the intern's agent.
 * @throws Error if the agent is not configured (any more).
 */
export function agentCommandOf(intern: Intern, around: AgentCommandDeps): AgentCommand {
  const { config, places, secret, baseUrl, sandbox } = around
  const told = {
    ...proxyEnvironment(config, baseUrl),
    ...(places.authorities !== undefined && authorityEnvironment(places.authorities)),
    GIT_CONFIG_SYSTEM: places.gitConfig,
    SIGNALBOX_BASE_URL: baseUrl,
    // Another server may take the intern over, at another address, while its agent runs.
    SIGNALBOX_BASE_URL_FILE: places.baseUrl,
    SIGNALBOX_API_KEY: secret,
    SIGNALBOX_MODEL: intern.model ?? config.default_intern_model,
    SIGNALBOX_INSTRUCTIONS_FILE: places.instructions,
    SIGNALBOX_STATE_DIR: places.state,
  }
  if (intern.agent === null) {
    const env = {
      ...told,
      NODE_COMPILE_CACHE: places.compileCache,
      ...sandbox,
      ...(intern.webHosts.length > 0 && { SIGNALBOX_WEB_HOSTS: intern.webHosts.join(',') }),
    }
    return { command: places.node, args: [places.builtin], env }
  }
  const chosen = typeof intern.agent === 'string' ? config.agents[intern.agent] : intern.agent
  if (!chosen) throw new Error(`The agent "${intern.agent}" is not configured on this server (setting "agents").`)
  const env = { ...told, OPENAI_BASE_URL: baseUrl, OPENAI_API_KEY: secret, ...chosen.env }
  return { ...chosen, env }
}
