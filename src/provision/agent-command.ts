import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Config } from '#config/settings.ts'
import type { Intern } from '#interns/store.ts'
import { type AgentCommand, baseUrlFile, instructionsFile } from './intern-home.ts'

const builtin = fileURLToPath(new URL('../../bin/agent.ts', import.meta.url))

type AgentCommandDeps = {
  config: Pick<Config, 'agents' | 'default_intern_model' | 'sandbox_program' | 'without_sandbox'>
  home: string
  secret: string
  /** The service itself, as a process on its host reaches it. */
  baseUrl: string
  /** The folder for the builtin agent's compiled code. */
  compileCache: string
}

/**
 * The command that runs the intern's agent.
 * @throws Error if the agent is not configured (any more).
 */
export function agentCommandOf(intern: Intern, around: AgentCommandDeps): AgentCommand {
  const { config, home, secret, baseUrl, compileCache } = around
  const told = {
    SIGNALBOX_BASE_URL: baseUrl,
    SIGNALBOX_API_KEY: secret,
    SIGNALBOX_MODEL: intern.model ?? config.default_intern_model,
    SIGNALBOX_INSTRUCTIONS_FILE: instructionsFile(home),
    SIGNALBOX_STATE_DIR: join(home, 'state', 'agent'),
  }
  if (intern.agent === null) {
    const env = {
      ...told,
      SIGNALBOX_BASE_URL_FILE: baseUrlFile(home),
      NODE_COMPILE_CACHE: compileCache,
      SIGNALBOX_WITHOUT_SANDBOX: config.without_sandbox,
      ...(intern.webHosts.length > 0 && { SIGNALBOX_WEB_HOSTS: intern.webHosts.join(',') }),
      ...(config.sandbox_program !== undefined && { SIGNALBOX_SANDBOX_PROGRAM: config.sandbox_program }),
    }
    return { command: process.execPath, args: [builtin], env }
  }
  const chosen = typeof intern.agent === 'string' ? config.agents[intern.agent] : intern.agent
  if (!chosen) throw new Error(`The agent "${intern.agent}" is not configured on this server (setting "agents").`)
  const env = { ...told, OPENAI_BASE_URL: baseUrl, OPENAI_API_KEY: secret, ...chosen.env }
  return { ...chosen, env }
}
