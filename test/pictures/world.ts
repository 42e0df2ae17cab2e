import { scripted } from '../harness/interns/intern-chat.ts'
import { answer, runningIntern, say } from '../harness/interns/interns.ts'
import { endLeftovers } from '../harness/service/leftovers.ts'
import { type DemoWorld, startDemoWorld } from '../harness/service/world/demo-world.ts'

/** The answer of each model. */
const result = `The **third**: \`DE811907980\` lacks a digit.

| invoice | VAT id | is |
| --- | --- | --- |
| 1 | \`DE811907980\` | right |
| 3 | \`DE81190798\` | too short |

\`\`\`js
const isWhole = (id) => /^DE\\d{9}$/.test(id)
\`\`\`

Shall I write to the supplier?`

export type PictureWorld = AsyncDisposable &
  Pick<DemoWorld, 'service' | 'guardrailId'> & {
    /** The last requests, the first asked first. */
    ids: string[]
    intern: string
  }

/** A service that was in use for a day of its clock, with members, presets, and an intern that waits. */
export async function startPictureWorld(): Promise<PictureWorld> {
  /** How far the clock of the service is behind: it begins a day ago, and is set as requests are asked. */
  let ageMs = 25 * 3_600_000
  const world = await startDemoWorld({
    now: () => Date.now() - ageMs,
    settings: { ...scripted, intern_users_from: 0 } as object,
    upstreamOptions: { paceMs: (provider) => ({ google: 2, openai: 4, deepinfra: 7 })[provider] ?? 5, content: result },
  })
  const { service, guardrailId } = world
  for (let step = 0; ageMs > 0; step++) {
    // More by day than by night, and never quite the same.
    await world.ask(Math.round(4 + 3 * Math.sin(step / 7) + (step % 3)))
    ageMs = Math.max(0, ageMs - 1_800_000)
  }
  const ids = await world.ask(18)
  await fill(service)
  const intern = await askingIntern(service)
  return {
    ...{ service, guardrailId, ids, intern },
    async [Symbol.asyncDispose]() {
      // Daemons of interns survive their server. Their records are in the folder that is removed next.
      await service.stop()
      await endLeftovers()
      await world[Symbol.asyncDispose]()
    },
  }
}

/** The objects that members created. */
async function fill(service: DemoWorld['service']): Promise<void> {
  for (const system of ['Answer with a haiku.', 'Answer with a haiku about the sea.']) {
    const body = { model: 'google/gemini-3-flash', temperature: 0.4, messages: [{ role: 'system', content: system }] }
    await service.manage('POST', '/presets/haiku/chat/completions', body)
  }
  await service.manage('PATCH', '/presets/haiku', { description: 'Short answers, for the front page' })
  for (const [name, access] of [
    ['Ada Lovelace', 'admin'],
    ['Grace Hopper', 'developer'],
  ]) {
    const email = `${name}@example.com`.replace(' ', '.')
    await service.manage('POST', '/organization/members', { name, access, email })
  }
  const keeps = { is_observability_io_logging_enabled: true, io_logging_sampling_rate: 0.1 }
  for (const [name, slug, more] of [
    ['Field research', 'field-research', keeps],
    ['Customer support', 'support', {}],
  ] as const) {
    const { body } = await service.manage('POST', '/workspaces', { name, slug })
    await service.manage('PATCH', `/workspaces/${body.data.id}`, more)
  }
}

/** One that wants to change a file, and another that wants to know something. @returns its id. */
async function askingIntern(service: DemoWorld['service']): Promise<string> {
  const { id } = await runningIntern(service, { agent: 'scripted' })
  await configure(service, id)
  const change = { before: 'retries: 2\ntimeout: 10s\n', after: 'retries: 5\ntimeout: 10s\nbackoff: 2s\n' }
  await say(
    service,
    id,
    `say The nightly export fails now and then.\nedit deploy/export.yaml ${JSON.stringify(change)}`,
  )
  const fields = { type: 'object', properties: { environment: { type: 'string', enum: ['staging', 'production'] } } }
  await say(service, id, `ask ${JSON.stringify(fields)}`)
  return id
}

/** Gives it answers of people, then rules that would have decided otherwise (the screen shows where), and tools. */
async function configure(service: DemoWorld['service'], id: string): Promise<void> {
  for (const [command, reply] of [
    ['npm test', 'allow_once'],
    ['npm test', 'allow_once'],
    ['git log --oneline', 'reject_once'],
    ['git push origin main', 'reject_once'],
    ['rm -rf build', 'allow_once'],
  ] as const)
    await answer(
      service,
      id,
      await say(service, id, `tool shell ${command}\npermission shell allow_once reject_once`),
      reply,
    )
  const rules = [
    { effect: 'deny', name: 'No push.', commands: ['git push'] },
    { effect: 'deny', tools: ['edit'], paths: ['.git/**', '**/*.pem'] },
    { effect: 'ask', hosts: ['*.internal.example'] },
    { effect: 'allow', commands: ['npm test', 'git status', 'git log **'] },
  ]
  await service.ask('PUT', `/interns/${id}/rules`, { body: { rules } })
  const mcp_servers = [
    { name: 'search', command: 'npx', args: ['-y', 'search-server'], env: { TOKEN: 'demo' } },
    { name: 'tickets', url: 'https://tools.example.com/mcp', headers: { Authorization: 'Bearer demo' } },
  ]
  await service.ask('PATCH', `/interns/${id}`, { body: { mcp_servers, web_hosts: ['docs.example.com'] } })
}
