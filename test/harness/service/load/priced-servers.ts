import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestStore } from '../../database/databases.ts'
import { type ServerProcess, startProcess } from '../server-process.ts'

export const managementKey = `sb-v1-${'a'.repeat(64)}`
export const apiKey = `sb-v1-${'b'.repeat(64)}`

/** The price of a word of the demo model's response. Prompt tokens are free in these tests. */
export const usdOfWord = 0.001

const priced = {
  models: { 'signalbox/demo': { endpoints: { signalbox: { prices: { prompt: 0, completion: usdOfWord * 1e6 } } } } },
}

/** Writes a catalogue file in which the demo model costs money. */
export function pricedCatalogue(folder: string): string {
  const file = join(folder, 'priced.json')
  writeFileSync(file, JSON.stringify(priced))
  return file
}

/** Starts real servers over one store, where the demo model costs money. `databaseUrl` can go through a TCP proxy. */
export async function startPriced(
  testStore: TestStore,
  count = 1,
  databaseUrl?: string,
  env = {},
): Promise<ServerProcess[]> {
  const { data_dir, database_url } = testStore.settings
  const file = pricedCatalogue(data_dir)
  const servers: ServerProcess[] = []
  for (let i = 0; i < count; i++) {
    const server = startProcess({
      DATA_DIR: join(data_dir, 'data'),
      DATABASE_URL: databaseUrl ?? database_url,
      BOOTSTRAP_MANAGEMENT_KEY: managementKey,
      BOOTSTRAP_API_KEY: apiKey,
      CATALOGUE_FILE: file,
      ...env,
    })
    await server.url
    servers.push(server)
  }
  return servers
}

export async function manage(url: string, method: string, path: string, body?: object): Promise<any> {
  const headers = { authorization: `Bearer ${managementKey}`, 'content-type': 'application/json' }
  const response = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  return response.json()
}

/** Changes the workspace's default guardrail. @returns its id. */
export async function limitAll(url: string, policy: object): Promise<string> {
  const id = (await manage(url, 'GET', '/workspaces')).data[0].default_guardrail_id
  const { data } = await manage(url, 'PATCH', `/guardrails/${id}`, policy)
  if (!data) throw new Error('the guardrail was not changed')
  return id
}

export type SharedBudget = { path: string; account: string }

/** Sets a budget that the whole workspace shares. @returns its path in the API, and the id of its account. */
export async function setBudget(url: string, limit_usd: number, interval = 'lifetime'): Promise<SharedBudget> {
  const path = `/workspaces/default/budgets/${interval}`
  const { data } = await manage(url, 'PUT', path, { limit_usd })
  return { path, account: `workspace:${data.workspace_id}:${interval}` }
}

type PricedResponse = { status: number; cost: number; body: string }

/** Requests this many words. The cost is the one in the response; a response that broke off costs nothing. */
export async function askForWords(
  url: string,
  words: number,
  maxTokens = words,
  stream = false,
  key = apiKey,
  extraText = '',
): Promise<PricedResponse> {
  const body = {
    model: 'signalbox/demo',
    max_tokens: maxTokens,
    messages: [{ role: 'user', content: `demo:words=${words} ${extraText}` }],
    ...(stream && { stream, stream_options: { include_usage: true } }),
  }
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const response = await fetch(`${url}/chat/completions`, { method: 'POST', headers, body: JSON.stringify(body) })
  const text = await response.text()
  return { status: response.status, cost: Number(/"cost":([\d.e-]+)/.exec(text)?.[1] ?? 0), body: text }
}
