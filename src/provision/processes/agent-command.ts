import type { Intern } from '#interns/registry/intern-store.ts'
import type { Config } from '#platform/config/settings.ts'
import { caFileEnvironment } from '#platform/net/ca-certificates.ts'
import { type ProxySettings, proxyEnvironment } from '#platform/net/proxies.ts'
import type { AgentCommand } from '../host/home/intern-home.ts'
import { describeRepository } from '../repository/clone.ts'

/** The files and folders that a daemon and its agent need. */
type AgentPaths = {
  /** The program Node. */
  node: string
  /** The script of the builtin agent. */
  builtin: string
  instructions: string
  /** The file with the current URL of the service, which a running agent reads again. */
  baseUrlFile: string
  /** The system-wide configuration of git. */
  gitConfig: string
  /** The file of trusted CA certificates; undefined for those of the system. */
  caFile: string | undefined
  /** The folder for the state of the builtin agent. */
  state: string
  /** The folder for its compiled code. */
  compileCache: string
}

type AgentCommandDeps = {
  config: Pick<Config, 'agents' | 'default_intern_model'> & ProxySettings
  paths: AgentPaths
  secret: string
  /** The URL of the service for the agent. */
  baseUrl: string
  /** Environment variables that configure the sandbox of the builtin agent. */
  sandbox: Record<string, string>
}

/** The instructions of the intern's agent, with the description of its repository. */
export function createInstructions({ instructions, repository }: Intern): string {
  return [instructions, repository && describeRepository(repository)].filter(Boolean).join('\n\n')
}

/**
 * The command that runs the intern's agent.
 * @throws Error if the agent is not configured.
 */
export function createAgentCommand(intern: Intern, deps: AgentCommandDeps): AgentCommand {
  const { config, paths, secret, baseUrl, sandbox } = deps
  const variables = {
    ...proxyEnvironment(config, baseUrl),
    ...(paths.caFile !== undefined && caFileEnvironment(paths.caFile)),
    GIT_CONFIG_SYSTEM: paths.gitConfig,
    SIGNALBOX_BASE_URL: baseUrl,
    // Another server with another address can take the intern over while its agent runs.
    SIGNALBOX_BASE_URL_FILE: paths.baseUrlFile,
    SIGNALBOX_API_KEY: secret,
    SIGNALBOX_MODEL: intern.model ?? config.default_intern_model,
    SIGNALBOX_INSTRUCTIONS_FILE: paths.instructions,
    SIGNALBOX_STATE_DIR: paths.state,
  }
  if (intern.agent === null) {
    const env = {
      ...variables,
      NODE_COMPILE_CACHE: paths.compileCache,
      ...sandbox,
      ...(intern.webHosts.length > 0 && { SIGNALBOX_WEB_HOSTS: intern.webHosts.join(',') }),
    }
    return { command: paths.node, args: [paths.builtin], env }
  }
  const agent = typeof intern.agent === 'string' ? config.agents[intern.agent] : intern.agent
  if (!agent) throw new Error(`The agent "${intern.agent}" is not configured on this server (setting "agents").`)
  // Many agents of others read the address and the key from variables of OpenAI's client.
  const env = { ...variables, OPENAI_BASE_URL: baseUrl, OPENAI_API_KEY: secret, ...agent.env }
  return { ...agent, env }
}
