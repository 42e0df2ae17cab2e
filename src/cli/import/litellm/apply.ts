import { type ApiClient, ServiceRefused } from '../../kit/api-client.ts'
import type { Policies } from './budgets.ts'
import type { PresetWanted } from './presets.ts'

type Wanted = { policies: Policies; presets: PresetWanted[] }
type Key = { name: string; hash: string; workspace_id: string }
type Workspace = { id: string; slug: string; default_guardrail_id: string }

/** Says what is there now, a line for each thing. */
export type Say = (line: string) => void

export const isNothing = ({ policies: { defaults, guardrails, workspaces, keys }, presets }: Wanted): boolean =>
  Object.keys(defaults).length + guardrails.length + workspaces.length + keys.length + presets.length === 0

/**
 * Makes at the running service what is not there yet, so that it may be done again: what has the name already is left as
 * it is.
 * @throws StartupError with what the service says.
 */
export async function apply(client: ApiClient, wanted: Wanted, say: Say): Promise<void> {
  await client.ask('POST', '/catalogue/reload', {})
  const { data: own } = await client.ask<{ data: { workspace_id: string } }>('GET', '/key')
  const maker = new Maker(client, say)
  await maker.setDefaults(own.workspace_id, wanted.policies.defaults)
  for (const { slug, body } of wanted.presets) await maker.preset(slug, body)
  for (const { name, body, members } of wanted.policies.guardrails) {
    await maker.guardrail(name, body)
    if (members) say(`  Put members under it: POST /guardrails/<id>/assignments/members.`)
  }
  for (const { name, slug, defaults, key } of wanted.policies.workspaces) {
    const workspace = await maker.workspace(name, slug)
    await maker.setDefaults(workspace, defaults)
    await maker.key({ ...key, workspace_id: workspace })
  }
  for (const { key, models } of wanted.policies.keys) {
    const guardrail = models && (await maker.guardrail(`Models of ${key.name}`, { allowed_models: models }))
    await maker.key({ ...key, workspace_id: own.workspace_id }, guardrail)
  }
}

class Maker {
  readonly #client: ApiClient
  readonly #say: Say

  constructor(client: ApiClient, say: Say) {
    this.#client = client
    this.#say = say
  }

  async setDefaults(workspaceId: string, body: object): Promise<void> {
    if (Object.keys(body).length === 0) return
    const workspaces = await this.#client.listAll<Workspace>('/workspaces')
    const workspace = workspaces.find(({ id }) => id === workspaceId)!
    await this.#client.ask('PATCH', `/guardrails/${workspace.default_guardrail_id}`, body)
    this.#say(`Set in the default guardrail of the workspace ${workspace.slug}: ${Object.keys(body).join(', ')}.`)
  }

  async workspace(name: string, slug: string): Promise<string> {
    const there = (await this.#client.listAll<Workspace>('/workspaces')).find((one) => one.slug === slug)
    if (there) return there.id
    const { data } = await this.#client.ask<{ data: Workspace }>('POST', '/workspaces', { name, slug })
    this.#say(`Made the workspace "${slug}".`)
    return data.id
  }

  async guardrail(name: string, body: object): Promise<string> {
    const all = await this.#client.listAll<{ id: string; name: string }>('/guardrails')
    const there = all.find((one) => one.name === name)
    if (there) this.#say(`The guardrail "${name}" is there already.`)
    if (there) return there.id
    const { data } = await this.#client.ask<{ data: { id: string } }>('POST', '/guardrails', { name, ...body })
    this.#say(`Made the guardrail "${name}".`)
    return data.id
  }

  /** A key is told only once it is under its guardrail, and is taken back if it cannot be. */
  async key(body: { name: string; workspace_id: string }, guardrail?: string): Promise<void> {
    const keys = await this.#client.listAll<Key>(`/keys?workspace_id=${body.workspace_id}`)
    if (keys.some(({ name }) => name === body.name)) return this.#say(`The key "${body.name}" is there already.`)
    const { data, key } = await this.#client.ask<{ data: Key; key: string }>('POST', '/keys', body)
    if (guardrail) await this.#putUnder(guardrail, data.hash)
    this.#say(`Made the API key "${body.name}", shown this once: ${key}`)
  }

  async #putUnder(guardrail: string, hash: string): Promise<void> {
    try {
      await this.#client.ask('POST', `/guardrails/${guardrail}/assignments/keys`, { key_hashes: [hash] })
    } catch (error) {
      await this.#client.ask('DELETE', `/keys/${hash}`)
      throw error
    }
  }

  async preset(slug: string, body: object): Promise<void> {
    if (await this.#hasPreset(slug)) return this.#say(`The preset @preset/${slug} is there already.`)
    await this.#client.ask('POST', `/presets/${slug}/responses`, body)
    this.#say(`Made the preset @preset/${slug}.`)
  }

  async #hasPreset(slug: string): Promise<boolean> {
    return this.#client.ask('GET', `/presets/${slug}`).then(
      () => true,
      (error) => {
        if (error instanceof ServiceRefused && error.status === 404) return false
        throw error
      },
    )
  }
}
