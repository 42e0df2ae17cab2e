import { type ApiClient, ServiceError } from '../../kit/api-client.ts'
import type { GuardrailBody, NewBudget, ObjectsToCreate } from './budgets.ts'
import type { NewPreset } from './presets.ts'

type ImportedObjects = { objects: ObjectsToCreate; presets: NewPreset[] }
type Key = { name: string; hash: string; workspace_id: string }
type Workspace = { id: string; slug: string; default_guardrail_id: string }

/** Receives one line for each created or existing object. */
type Print = (line: string) => void

export const hasNoObjects = ({
  objects: { budget, defaults, guardrails, workspaces, keys },
  presets,
}: ImportedObjects): boolean =>
  budget === undefined &&
  Object.keys(defaults).length + guardrails.length + workspaces.length + keys.length + presets.length === 0

/**
 * Creates the objects in the running service. Existing objects, budgets and settings are not changed, so that the import can be
 * repeated.
 * @throws UserFacingError with the error of the service
 */
export async function applyImport(client: ApiClient, imported: ImportedObjects, print: Print): Promise<void> {
  await client.request('POST', '/catalogue/reload', {})
  const { data: ownKey } = await client.request<{ data: { workspace_id: string } }>('GET', '/key')
  const creator = new ObjectCreator(client, print)
  await creator.setBudget('/organization', 'the organization', imported.objects.budget)
  await creator.setDefaults(ownKey.workspace_id, imported.objects.defaults)
  for (const preset of imported.presets) await creator.createPreset(preset)
  for (const { name, body, isForMembers } of imported.objects.guardrails) {
    await creator.ensureGuardrail(name, body)
    if (isForMembers) print(`  To assign members to it: npx signalbox guardrails assign-members "${name}" <emails...>`)
  }
  for (const { name, slug, budget, defaults, key } of imported.objects.workspaces) {
    const workspace = await creator.ensureWorkspace(name, slug)
    await creator.setBudget(`/workspaces/${slug}`, `the workspace ${slug}`, budget)
    await creator.setDefaults(workspace, defaults)
    for (const preset of imported.presets) if (allows(defaults, preset)) await creator.createPreset(preset, slug)
    await creator.createKey({ ...key, workspace_id: workspace })
  }
  for (const { key, models } of imported.objects.keys) {
    const guardrail = models && (await creator.ensureGuardrail(`Models of ${key.name}`, { allowed_models: models }))
    await creator.createKey({ ...key, workspace_id: ownKey.workspace_id }, guardrail)
  }
}

/** Whether the keys of a workspace are allowed to use the first model of a preset. */
function allows({ allowed_models: allowed }: GuardrailBody, { body: { model, models } }: NewPreset): boolean {
  const firstModel = (models as string[] | undefined)?.[0] ?? (model as string)
  return allowed === undefined || (allowed as string[]).includes(firstModel)
}

class ObjectCreator {
  readonly #client: ApiClient
  readonly #print: Print

  constructor(client: ApiClient, print: Print) {
    this.#client = client
    this.#print = print
  }

  async setBudget(path: string, owner: string, budget: NewBudget | undefined): Promise<void> {
    if (!budget) return
    const { interval, limit_usd } = budget
    const existing = await this.#find<{ limit_usd: number }>(`${path}/budgets/${interval}`)
    if (existing)
      return this.#print(`The ${interval} budget of ${owner} is already ${existing.limit_usd} USD, and is not changed.`)
    await this.#client.request('PUT', `${path}/budgets/${interval}`, { limit_usd })
    this.#print(`Set the ${interval} budget of ${owner}: ${limit_usd} USD.`)
  }

  async setDefaults(workspaceId: string, body: object): Promise<void> {
    if (Object.keys(body).length === 0) return
    const workspaces = await this.#client.listAll<Workspace>('/workspaces')
    const workspace = workspaces.find(({ id }) => id === workspaceId)!
    const path = `/guardrails/${workspace.default_guardrail_id}`
    const existing = (await this.#find<Record<string, unknown>>(path)) ?? {}
    const isSet = ([field]: [string, unknown]) => [existing[field] ?? []].flat().length > 0
    const { set = [], unset = [] } = Object.groupBy(Object.entries(body), (entry) => (isSet(entry) ? 'set' : 'unset'))
    const where = `in the default guardrail of the workspace ${workspace.slug}`
    if (set.length > 0) this.#print(`Already set ${where}, and not changed: ${namesOf(set)}.`)
    if (unset.length === 0) return
    await this.#client.request('PATCH', path, Object.fromEntries(unset))
    this.#print(`Set ${where}: ${namesOf(unset)}.`)
  }

  /** @returns the ID of the workspace, which is created if it is missing */
  async ensureWorkspace(name: string, slug: string): Promise<string> {
    const existing = (await this.#client.listAll<Workspace>('/workspaces')).find((listed) => listed.slug === slug)
    if (existing) return existing.id
    const { data } = await this.#client.request<{ data: Workspace }>('POST', '/workspaces', { name, slug })
    this.#print(`Created the workspace "${slug}".`)
    return data.id
  }

  /** @returns the ID of the guardrail of this name, which is created if it is missing */
  async ensureGuardrail(name: string, body: object): Promise<string> {
    const guardrails = await this.#client.listAll<{ id: string; name: string }>('/guardrails')
    const existing = guardrails.find((listed) => listed.name === name)
    if (existing) {
      this.#print(`The guardrail "${name}" already exists.`)
      return existing.id
    }
    const { data } = await this.#client.request<{ data: { id: string } }>('POST', '/guardrails', { name, ...body })
    this.#print(`Created the guardrail "${name}".`)
    return data.id
  }

  /** Creates a key, and prints it after its guardrail is assigned. If that fails, deletes the key. */
  async createKey(body: { name: string; workspace_id: string }, guardrail?: string): Promise<void> {
    const keys = await this.#client.listAll<Key>(`/keys?workspace_id=${body.workspace_id}`)
    if (keys.some(({ name }) => name === body.name)) return this.#print(`The key "${body.name}" already exists.`)
    const { data, key } = await this.#client.request<{ data: Key; key: string }>('POST', '/keys', body)
    if (guardrail) await this.#assignGuardrail(guardrail, data.hash)
    this.#print(`Created the API key "${body.name}". It is shown only once: ${key}`)
  }

  async #assignGuardrail(guardrail: string, hash: string): Promise<void> {
    try {
      await this.#client.request('POST', `/guardrails/${guardrail}/assignments/keys`, { key_hashes: [hash] })
    } catch (error) {
      await this.#client.request('DELETE', `/keys/${hash}`)
      throw error
    }
  }

  /** @param workspace defaults to that of the key. */
  async createPreset({ slug, body }: NewPreset, workspace?: string): Promise<void> {
    const query = workspace ? `?workspace_id=${workspace}` : ''
    const workspaceText = workspace ? ` in the workspace ${workspace}` : ''
    if (await this.#find(`/presets/${slug}${query}`))
      return this.#print(`The preset @preset/${slug} already exists${workspaceText}.`)
    await this.#client.request('POST', `/presets/${slug}/responses${query}`, body)
    this.#print(`Created the preset @preset/${slug}${workspaceText}.`)
  }

  /** @returns the data at a path; undefined if it does not exist */
  async #find<Data>(path: string): Promise<Data | undefined> {
    try {
      return (await this.#client.request<{ data: Data }>('GET', path)).data
    } catch (error) {
      if (error instanceof ServiceError && error.status === 404) return undefined
      throw error
    }
  }
}

const namesOf = (entries: [string, unknown][]) => entries.map(([name]) => name).join(', ')
