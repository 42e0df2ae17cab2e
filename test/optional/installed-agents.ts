import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'yaml'
import type { Config } from '#platform/config/settings.ts'
import { agentFacts } from './agent-facts.ts'

const given = process.env.TEST_AGENTS
const settingsOf = (name: string) =>
  parse(readFileSync(new URL(`../../examples/agents/${name}.yaml`, import.meta.url), 'utf8')).agents[name]

export const skipAgents = given ? false : 'other agents are installed and tested by "npm run test:agents" only'

/** The agents to test; undefined: all. */
export const agentsOnly = process.env.TEST_AGENTS_ONLY?.split(',')

/**
 * The settings of an agent from examples/agents/, for the installed one.
 *
 * @param geminiGateway the URL for an agent that speaks Gemini's protocol.
 * @param recorder sends the agent's requests to this URL instead of the service's own.
 */
export function documentedAgent(name: string, geminiGateway: string, recorder?: string): Config['agents'][string] {
  const settings = JSON.parse(
    JSON.stringify(settingsOf(name))
      .replaceAll('/opt/agents', installed())
      .replace('https://gateway.example', geminiGateway),
  )
  if (recorder)
    settings.args[1] = `export SIGNALBOX_BASE_URL="${recorder}/v1" OPENAI_BASE_URL="${recorder}/v1"\n${settings.args[1]}`
  return settings
}

let folder: string | undefined

function installed(): string {
  if (given && existsSync(given)) return given
  if (folder) return folder
  folder = mkdtempSync(join(tmpdir(), 'signalbox-agents-'))
  const createdFolder = folder
  process.once('exit', () => rmSync(createdFolder, { recursive: true, force: true }))
  const packages = agentFacts.flatMap(({ package: name, version, adapter = [] }) =>
    name ? [`${name}@${version}`, adapter].flat() : [],
  )
  execFileSync('npm', ['install', '--prefix', folder, '--no-audit', '--no-fund', ...packages], { stdio: 'inherit' })
  // Users of interns read them.
  chmodSync(folder, 0o755)
  return folder
}
