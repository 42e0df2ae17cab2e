import { readdirSync, readFileSync } from 'node:fs'

/** A request of a coding agent to the service, with shortened texts. */
export type AgentRequest = { path: string; headers: Record<string, string>; body: Record<string, unknown> }

const folder = new URL('./', import.meta.url)
const ending = '.snapshot.json'

/** The recorded requests of each agent. `TEST_AGENTS_RECORD=1 npm run test:agents` records them. */
export const agentRequests: { agent: string; requests: AgentRequest[] }[] = readdirSync(folder)
  .filter((file) => file.endsWith(ending))
  .sort()
  .map((file) => ({
    agent: file.slice(0, -ending.length),
    requests: JSON.parse(readFileSync(new URL(file, folder), 'utf8')),
  }))
