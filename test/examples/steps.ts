import { gzipSync } from 'node:zlib'
import { chatClientProtocols } from '#gateway/clients/client-protocols.ts'
import { type ClientName, clientRequests } from '../harness/records/client-requests.ts'
import { registration, softPasskey } from '../harness/service/sign-in/authenticator.ts'

/** Values that earlier steps keep for later ones, which write `$name` for them. */
export type Kept = Record<string, any>

type Step = {
  /** Method and path, as the description has them. */
  operation: string
  params?: Record<string, string>
  query?: string
  /** Asked by a browser that is signed in, not with a key. */
  bySession?: boolean
  body?: unknown
  /** The body, if it is bytes. */
  bytes?: () => Buffer
  keep?: (response: any, stored: Kept) => Kept
  /** Its answer has no end: the client disconnects after the first bytes. */
  isEndless?: boolean
}

const guardrail = { id: '$guardrail' }
const preset = { slug: 'support' }
const chat = { model: 'signalbox/demo', ...clientRequests['openai-chat'].body }
const model = { author: 'openai', slug: 'gpt-5.2' }

/** Answers the options for a new passkey. */
const newCredential = ({ challenge, user, rp }: any, origin: string) =>
  registration(softPasskey(user.id), { challenge, rpId: rp.id, origin })

/** One call of each operation, ordered so that the objects of each call exist. */
export const steps: Step[] = [
  { operation: 'get /health' },
  { operation: 'get /health/live' },
  { operation: 'get /health/ready' },
  { operation: 'get /health/report' },
  { operation: 'get /metrics' },
  // Later steps read what the next ones ask.
  {
    operation: 'patch /workspaces/{id}',
    params: { id: '$workspace' },
    body: { is_observability_io_logging_enabled: true },
  },
  { operation: 'post /chat/completions', body: chat, keep: ({ id }) => ({ generation: id }) },
  ...chatClientProtocols
    .filter(({ protocol }) => protocol !== 'openai-chat')
    .map(({ protocol, operation }) => ({
      operation: `post ${operation.path}`,
      body: { model: chat.model, ...clientRequests[protocol as ClientName].body },
    })),
  { operation: 'post /messages/count_tokens', body: { ...chat, max_tokens: 100 } },
  {
    operation: 'post /embeddings',
    body: { model: 'signalbox/demo-embedding', input: ['How do I reset my password?', 'Hello'], dimensions: 4 },
  },
  {
    operation: 'post /analytics/query',
    body: {
      metrics: ['request_count', 'total_usage', 'latency_p95'],
      dimensions: ['model'],
      granularity: 'hour',
      filters: [{ field: 'outcome', operator: 'in', value: ['success', 'client_left'] }],
      order_by: { field: 'date', direction: 'asc' },
    },
  },
  { operation: 'get /analytics/meta' },
  { operation: 'get /models', query: '?limit=1' },
  { operation: 'get /models/user', query: '?limit=1' },
  { operation: 'get /embeddings/models', query: '?limit=1' },
  { operation: 'get /models/count' },
  { operation: 'get /benchmarks', query: '?max_results=1' },
  { operation: 'get /model/{author}/{slug}', params: model },
  { operation: 'get /models/{id}', params: { id: 'signalbox%2Fdemo' } },
  { operation: 'get /models/{author}/{slug}/endpoints', params: model },
  { operation: 'get /endpoints/zdr' },
  { operation: 'get /endpoints/history', query: '?model=signalbox/demo' },
  { operation: 'get /generations/export' },
  { operation: 'post /generations/release', query: '?outcome=client_left' },
  { operation: 'get /providers' },
  { operation: 'get /status' },
  { operation: 'get /settings' },
  { operation: 'get /catalogue' },
  { operation: 'post /catalogue/reload' },
  { operation: 'post /interns', body: { name: 'ada', approval_mode: 'manual' }, keep: ({ id }) => ({ intern: id }) },
  { operation: 'get /interns', query: '?limit=1' },
  { operation: 'get /interns/hosts' },
  { operation: 'get /interns/{internId}', params: { internId: 'ada' } },
  { operation: 'patch /interns/{internId}', params: { internId: 'ada' }, body: { description: 'Reviews changes' } },
  { operation: 'post /interns/{internId}/provision', params: { internId: 'ada' } },
  {
    operation: 'post /interns/{internId}/chat/completions',
    params: { internId: 'bob' },
    body: { messages: [{ role: 'user', content: 'Write a haiku' }], stream: true, approval_mode: 'manual' },
  },
  {
    operation: 'get /interns/{internId}/questions',
    params: { internId: 'bob' },
    keep: ({ data }) => ({ question: data[0].id }),
  },
  { operation: 'get /interns/questions', query: '?limit=1' },
  { operation: 'get /interns/{internId}/questions/{questionId}', params: { internId: 'bob', questionId: '$question' } },
  {
    operation: 'get /interns/{internId}/sessions',
    params: { internId: 'bob' },
    keep: ({ data }) => ({ session: data[0].id }),
  },
  {
    operation: 'get /interns/{internId}/sessions/{sessionId}',
    params: { internId: 'bob', sessionId: '$session' },
  },
  {
    operation: 'get /interns/{internId}/sessions/{sessionId}/requests',
    params: { internId: 'bob', sessionId: '$session' },
  },
  {
    operation: 'post /interns/{internId}/sessions/{sessionId}/chat/completions',
    params: { internId: 'bob', sessionId: 'changelog' },
    body: { messages: [{ role: 'user', content: 'Hello' }] },
  },
  {
    operation: 'get /interns/{internId}/sessions/{sessionId}/events',
    params: { internId: 'bob', sessionId: '$session' },
    isEndless: true,
  },
  {
    operation: 'get /interns/{internId}/runs',
    params: { internId: 'bob' },
    query: '?limit=1&status=waiting',
    keep: ({ data }) => ({ run: data[0].id }),
  },
  { operation: 'get /interns/{internId}/runs/{runId}', params: { internId: 'bob', runId: '$run' } },
  { operation: 'post /interns/{internId}/runs/{runId}/cancel', params: { internId: 'bob', runId: '$run' } },
  { operation: 'post /interns/{internId}/files/folders', params: { internId: 'bob' }, body: { path: 'docs' } },
  {
    operation: 'put /interns/{internId}/files/content',
    params: { internId: 'bob' },
    query: '?path=docs/notes.txt',
    bytes: () => Buffer.from('Hello'),
  },
  { operation: 'get /interns/{internId}/files', params: { internId: 'bob' }, query: '?path=docs' },
  { operation: 'get /interns/{internId}/files/content', params: { internId: 'bob' }, query: '?path=docs/notes.txt' },
  { operation: 'get /interns/{internId}/files/archive', params: { internId: 'bob' }, query: '?path=docs' },
  {
    operation: 'put /interns/{internId}/files/archive',
    params: { internId: 'bob' },
    query: '?path=docs',
    // An archive without entries.
    bytes: () => gzipSync(Buffer.alloc(1024)),
  },
  {
    operation: 'post /interns/{internId}/files/rename',
    params: { internId: 'bob' },
    body: { from: 'docs/notes.txt', to: 'notes.txt' },
  },
  { operation: 'delete /interns/{internId}/files', params: { internId: 'bob' }, query: '?path=notes.txt' },
  { operation: 'get /interns/{internId}/log', params: { internId: 'bob' } },
  {
    operation: 'put /interns/{internId}/rules',
    params: { internId: 'bob' },
    body: { rules: [{ effect: 'deny', name: 'no push', commands: ['git push'] }], expected_version: 0 },
  },
  { operation: 'get /interns/{internId}/rules', params: { internId: 'bob' } },
  {
    operation: 'post /interns/{internId}/rules/replay',
    params: { internId: 'bob' },
    body: { rules: [{ effect: 'allow', name: 'look around', commands: ['ls **', 'git log **'] }] },
  },
  { operation: 'post /interns/{internId}/give-up', params: { internId: 'eve' } },
  { operation: 'post /interns/{internId}/move', params: { internId: 'eve' }, body: { host: '$host' } },
  { operation: 'post /interns/{internId}/suspend', params: { internId: 'bob' } },
  { operation: 'delete /interns/{internId}', params: { internId: 'bob' } },
  {
    operation: 'post /webhooks',
    body: { url: 'https://hooks.example.com/signalbox', include: ['question'] },
    keep: ({ data }) => ({ webhook: data.id }),
  },
  { operation: 'get /webhooks', query: '?limit=1' },
  { operation: 'get /webhooks/{webhookId}', params: { webhookId: '$webhook' } },
  {
    operation: 'post /webhooks/{webhookId}/rotate-secret',
    params: { webhookId: '$webhook' },
    body: { overlap_hours: 24 },
  },
  {
    operation: 'post /webhooks/{webhookId}/test',
    params: { webhookId: '$webhook' },
    keep: ({ data }) => ({ delivery: data.id }),
  },
  { operation: 'get /webhooks/{webhookId}/deliveries', params: { webhookId: '$webhook' }, query: '?limit=1' },
  {
    operation: 'post /webhooks/{webhookId}/deliveries/{deliveryId}/retry',
    params: { webhookId: '$webhook', deliveryId: '$delivery' },
  },
  { operation: 'patch /webhooks/{webhookId}', params: { webhookId: '$webhook' }, body: { enabled: false } },
  { operation: 'delete /webhooks/{webhookId}', params: { webhookId: '$webhook' } },
  { operation: 'post /keys', body: { name: 'Support desk', limit: 20 }, keep: ({ data }) => ({ key: data.hash }) },
  { operation: 'get /keys', query: '?limit=1' },
  { operation: 'get /keys/{hash}', params: { hash: '$key' } },
  { operation: 'get /keys/{hash}/budgets', params: { hash: '$key' } },
  { operation: 'put /keys/{hash}/thresholds', params: { hash: '$key' }, body: { thresholds: [90, 100] } },
  { operation: 'get /keys/{hash}/thresholds', params: { hash: '$key' } },
  { operation: 'patch /keys/{hash}', params: { hash: '$key' }, body: { limit: 50, limit_reset: 'monthly' } },
  { operation: 'get /key' },
  {
    operation: 'post /guardrails',
    body: { name: 'Support', limit_usd: 50, reset_interval: 'monthly', ignored_providers: ['deepseek'] },
    keep: ({ data }) => ({ guardrail: data.id }),
  },
  { operation: 'get /guardrails', query: '?limit=1' },
  { operation: 'get /guardrails/{id}', params: guardrail },
  { operation: 'get /models/{author}/{slug}/guardrails', params: model },
  { operation: 'patch /guardrails/{id}', params: guardrail, body: { limit_usd: 100 } },
  { operation: 'put /guardrails/{id}/thresholds', params: guardrail, body: { thresholds: [90, 100] } },
  { operation: 'get /guardrails/{id}/thresholds', params: guardrail },
  { operation: 'post /guardrails/{id}/replay', params: guardrail, body: { policy: { limit_usd: 10 } } },
  {
    operation: 'post /guardrails/{id}/try',
    params: guardrail,
    body: {
      text: 'Write to ada@example.com.',
      policy: { content_filter_builtins: [{ slug: 'email', action: 'redact' }] },
    },
  },
  { operation: 'post /guardrails/{id}/assignments/keys', params: guardrail, body: { key_hashes: ['$key'] } },
  { operation: 'post /guardrails/{id}/assignments/members', params: guardrail, body: { member_user_ids: ['$user'] } },
  { operation: 'get /guardrails/{id}/assignments/keys', params: guardrail },
  { operation: 'get /guardrails/{id}/assignments/members', params: guardrail },
  { operation: 'get /guardrails/assignments/keys' },
  { operation: 'get /guardrails/assignments/members' },
  { operation: 'post /guardrails/{id}/assignments/keys/remove', params: guardrail, body: { key_hashes: ['$key'] } },
  {
    operation: 'post /guardrails/{id}/assignments/members/remove',
    params: guardrail,
    body: { member_user_ids: ['$user'] },
  },
  { operation: 'delete /guardrails/{id}', params: guardrail },
  { operation: 'post /presets/{slug}/chat/completions', params: preset, body: { ...chat, temperature: 0.2 } },
  { operation: 'post /presets/{slug}/messages', params: preset, body: { ...chat, max_tokens: 100 } },
  { operation: 'post /presets/{slug}/responses', params: preset, body: { model: 'signalbox/demo', input: 'Hello' } },
  {
    operation: 'post /presets/{slug}/versions',
    params: preset,
    body: { responses: { model: 'signalbox/demo', input: 'Hello', temperature: 0.4 } },
  },
  {
    operation: 'post /presets/{slug}/preview',
    params: preset,
    body: {
      settings: { system_prompt: 'Answer with a haiku.', config: { model: 'signalbox/demo', temperature: 0.4 } },
    },
  },
  { operation: 'get /presets' },
  { operation: 'get /presets/{slug}', params: preset },
  { operation: 'get /presets/{slug}/versions', params: preset },
  { operation: 'get /presets/{slug}/versions/{version}', params: { ...preset, version: '1' } },
  { operation: 'post /presets/{slug}/versions/{version}/designate', params: { ...preset, version: '1' } },
  { operation: 'patch /presets/{slug}', params: preset, body: { description: 'What the support desk uses' } },
  {
    operation: 'post /byok',
    body: { provider: 'openai', key: 'sk-example', name: 'Of the support desk' },
    keep: ({ data }) => ({ credential: data.id }),
  },
  { operation: 'get /byok' },
  { operation: 'get /byok/{id}', params: { id: '$credential' } },
  { operation: 'patch /byok/{id}', params: { id: '$credential' }, body: { disabled: true } },
  { operation: 'delete /byok/{id}', params: { id: '$credential' } },
  { operation: 'delete /keys/{hash}', params: { hash: '$key' } },
  { operation: 'post /workspaces', body: { name: 'Research', slug: 'research' } },
  { operation: 'get /workspaces', query: '?limit=1' },
  { operation: 'get /workspaces/{id}', params: { id: 'research' } },
  { operation: 'patch /workspaces/{id}', params: { id: 'research' }, body: { name: 'Research and development' } },
  {
    operation: 'put /workspaces/{id}/intern-rules',
    params: { id: 'research' },
    body: { rules: [{ effect: 'ask', tools: ['edit'], paths: ['.ci/**'] }] },
  },
  { operation: 'get /workspaces/{id}/intern-rules', params: { id: 'research' } },
  { operation: 'post /workspaces/{id}/intern-rules/replay', params: { id: 'research' }, body: {} },
  {
    operation: 'put /workspaces/{id}/budgets/{interval}',
    params: { id: 'research', interval: 'monthly' },
    body: { limit_usd: 500 },
  },
  { operation: 'get /workspaces/{id}/budgets', params: { id: 'research' } },
  { operation: 'get /workspaces/{id}/budgets/{interval}', params: { id: 'research', interval: 'monthly' } },
  { operation: 'delete /workspaces/{id}/budgets/{interval}', params: { id: 'research', interval: 'monthly' } },
  { operation: 'put /organization/budgets/{interval}', params: { interval: 'monthly' }, body: { limit_usd: 2000 } },
  { operation: 'get /organization/budgets' },
  { operation: 'get /organization/budgets/{interval}', params: { interval: 'monthly' } },
  { operation: 'delete /organization/budgets/{interval}', params: { interval: 'monthly' } },
  { operation: 'delete /workspaces/{id}', params: { id: 'research' } },
  { operation: 'get /organization' },
  { operation: 'patch /organization', body: { interns_programme: true } },
  { operation: 'get /organization/members' },
  {
    operation: 'post /organization/members',
    body: { email: 'ada@example.com', name: 'Ada' },
    keep: ({ data }) => ({ member: data.id }),
  },
  { operation: 'patch /organization/members/{user_id}', params: { user_id: '$member' }, body: { role: 'org:admin' } },
  { operation: 'get /workspaces/{id}/members', params: { id: 'default' } },
  {
    operation: 'post /workspaces/{id}/members/add',
    params: { id: 'default' },
    body: { user_ids: ['$member'], access: 'developer' },
  },
  {
    operation: 'post /workspaces/{id}/members/remove',
    params: { id: 'default' },
    body: { user_ids: ['$member'] },
  },
  { operation: 'delete /organization/members/{user_id}', params: { user_id: '$member' } },
  { operation: 'post /organization/intern-hosts/{host}/give-up', params: { host: 'desk-3' } },
  {
    operation: 'post /organization/intern-hosts/{host}/move',
    params: { host: 'desk-4' },
    body: { to: '$host' },
  },
  { operation: 'post /sessions', body: { key: '$apiKey' }, keep: ({ data }) => ({ session: data.id }) },
  { operation: 'get /sessions', query: '?limit=1' },
  { operation: 'delete /sessions/{id}', params: { id: '$session' } },
  { operation: 'post /sessions/links', body: { user_id: 'owner@localhost' } },
  { operation: 'get /sessions/methods' },
  {
    operation: 'post /oauth/token',
    body: {
      ...{ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion: '$assertion' },
      ...{ federation_rule_id: 'default', organization_id: 'default' },
    },
  },
  { operation: 'post /sessions/passkeys/options', bySession: true },
  {
    operation: 'post /passkeys/options',
    bySession: true,
    keep: ({ data }, { origin }) => ({ credential: newCredential(data, origin) }),
  },
  {
    operation: 'post /passkeys',
    bySession: true,
    body: { name: 'Laptop', response: '$credential' },
    keep: ({ data }) => ({ passkey: data.id }),
  },
  { operation: 'get /passkeys', bySession: true },
  { operation: 'patch /passkeys/{id}', params: { id: '$passkey' }, bySession: true, body: { name: 'Work laptop' } },
  { operation: 'delete /passkeys/{id}', params: { id: '$passkey' }, bySession: true },
  { operation: 'get /sessions/current', bySession: true },
  { operation: 'delete /sessions/current', bySession: true },
  { operation: 'get /audit' },
  {
    operation: 'post /generation/feedback',
    body: { generation_id: '$generation', category: 'formatting', comment: 'A table without a header' },
  },
  { operation: 'get /generation', query: '?id=$generation' },
  { operation: 'get /generations', query: '?limit=1' },
  { operation: 'get /generation/content', query: '?id=$generation' },
  { operation: 'delete /generation/content', query: '?id=$generation' },
  { operation: 'delete /workspaces/{id}/contents', params: { id: '$workspace' } },
  { operation: 'get /activity' },
  { operation: 'get /activity/sums', query: '?by=session' },
  { operation: 'get /datasets/rankings-daily' },
  { operation: 'get /credits' },
  { operation: 'get /events', isEndless: true },
  { operation: 'get /auth/key' },
]
