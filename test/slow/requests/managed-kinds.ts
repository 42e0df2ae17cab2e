import type { Chance } from '../../fuzz/chance.ts'

type Fields = Record<string, any>

/** A kind of object that management routes create, change, list and delete, as the API describes it. */
export type ManagedKind = {
  name: string
  path: string
  /** The path of the creation of `body`, if it is not `path`. */
  createPath?: (body: Fields) => string
  created: number
  idOf: (data: Fields) => string
  /** Whether answers are the object itself instead of `{ data }`. */
  isBare?: boolean
  /** A valid body. `number` is different for each. */
  body: (chance: Chance, number: number) => Fields
  /** A valid change. */
  patch: (chance: Chance, number: number) => Fields
  /** Invalid changes, each with the field that its refusal names. */
  invalid: [Fields, string][]
  /** A misspelt field, and the field that was meant. */
  misspelt: [string, string]
  /** The fields of a body that are returned as they were sent. */
  echoes: string[]
  /** The status for an API key. */
  apiKeyStatus?: number
  hasDelete?: boolean
  hasEtag?: boolean
  deleteStatus?: number
  /** Whether lists are paged by `starting_after`. */
  isCursorList?: boolean
}

const text = (chance: Chance, prefix: string) =>
  `${prefix} ${chance.pick(['é', '日本', 'a"b', '<b>', 'x'])} ${chance.below(1000)}`
const orNull = <T>(chance: Chance, value: T) => (chance.often(0.2) ? null : value)

const guardrailFields = (chance: Chance): Fields => {
  const limit = chance.often(0.5)
    ? { limit_usd: 1 + chance.below(100), reset_interval: chance.pick(['daily', 'weekly', 'monthly', null]) }
    : {}
  return {
    description: orNull(chance, text(chance, 'd')),
    ...limit,
    ...(chance.often(0.3) && { include_byok_in_budgets: chance.often(0.5) }),
    ...(chance.often(0.3) && {
      allowed_data_regions: orNull(chance, chance.pick([['europe'], ['us', 'europe'], ['global']])),
    }),
    ...(chance.often(0.3) && { enable_free_model_training: chance.often(0.5) }),
    ...(chance.often(0.3) && {
      content_filters: orNull(chance, [{ pattern: 'a+b', action: chance.pick(['block', 'redact', 'flag']) }]),
    }),
  }
}

const badGuardrails: [Fields, string][] = [
  [{ name: '' }, 'name'],
  [{ name: 'n'.repeat(201) }, 'name'],
  [{ description: 'd'.repeat(1001) }, 'description'],
  [{ limit_usd: 0 }, 'limit_usd'],
  [{ limit_usd: -1 }, 'limit_usd'],
  [{ limit_usd: '5' }, 'limit_usd'],
  [{ limit_usd: 5, reset_interval: 'yearly' }, 'reset_interval'],
  [{ limit_usd: null, reset_interval: 'daily' }, 'reset_interval'],
  [{ allowed_data_regions: [] }, 'allowed_data_regions'],
  [{ allowed_data_regions: ['mars'] }, 'allowed_data_regions'],
  [{ allowed_models: [] }, 'allowed_models'],
  [{ allowed_models: ['nobody/nothing'] }, 'nobody/nothing'],
  [{ ignored_models: [] }, 'ignored_models'],
  [{ allowed_providers: [] }, 'allowed_providers'],
  [{ allowed_providers: ['no-provider'] }, 'no-provider'],
  [{ ignored_providers: [] }, 'ignored_providers'],
  [{ include_byok_in_budgets: null }, 'include_byok_in_budgets'],
  [{ content_filters: [{ pattern: '', action: 'block' }] }, 'pattern'],
  [{ content_filters: [{ pattern: '(?=a)b', action: 'block' }] }, 'content_filters'],
  [{ content_filters: [{ pattern: 'a', action: 'drop' }] }, 'action'],
  [{ content_filter_builtins: [{ slug: 'emails', action: 'block' }] }, 'slug'],
  [{ content_filter_builtins: [{ slug: 'email', action: 'block', scan_scope: 'user_only' }] }, 'scan_scope'],
  [{ content_filter_builtins: [{ slug: 'email', action: 'redact', label: 5 }] }, 'label'],
  [{ enforce_zdr_vendor_a: true, enforce_zdr_anthropic: false }, 'enforce_zdr'],
]

export const managedKinds: ManagedKind[] = [
  {
    name: 'guardrail',
    path: '/guardrails',
    created: 201,
    idOf: ({ id }) => id,
    body: (chance, number) => ({ name: `guardrail ${number}`, ...guardrailFields(chance) }),
    patch: (chance, number) => ({
      ...guardrailFields(chance),
      ...(chance.often(0.3) && { name: `renamed ${number}` }),
    }),
    invalid: badGuardrails,
    misspelt: ['limit_us', 'limit_usd'],
    echoes: [
      'name',
      'description',
      'limit_usd',
      'reset_interval',
      'include_byok_in_budgets',
      'enable_free_model_training',
    ],
    apiKeyStatus: 401,
    hasDelete: true,
    hasEtag: true,
  },
  {
    name: 'key',
    path: '/keys',
    created: 201,
    idOf: ({ hash }) => hash,
    body: (chance, number) => ({
      name: `key ${number}`,
      ...(chance.often(0.5) && { limit: orNull(chance, 1 + chance.below(50)) }),
      ...(chance.often(0.3) && { include_byok_in_limit: chance.often(0.5) }),
    }),
    patch: (chance, number) => ({
      ...(chance.often(0.5) && { name: `key again ${number}` }),
      ...(chance.often(0.3) && { limit: orNull(chance, 2 + chance.below(50)) }),
      ...(chance.often(0.3) && { include_byok_in_limit: chance.often(0.5) }),
      disabled: chance.often(0.1),
    }),
    invalid: [
      [{ name: '' }, 'name'],
      [{ limit: -1 }, 'limit'],
      [{ limit: 'much' }, 'limit'],
      [{ limit: 1, limit_reset: 'hourly' }, 'limit_reset'],
      [{ expires_at: 'tomorrow' }, 'expires_at'],
    ],
    misspelt: ['limitt', 'limit'],
    echoes: ['name', 'limit', 'include_byok_in_limit', 'disabled'],
    hasDelete: true,
    hasEtag: true,
  },
  {
    name: 'webhook',
    path: '/webhooks',
    created: 201,
    idOf: ({ id }) => id,
    body: (chance, number) => ({
      url: `https://hooks.example.com/${number}`,
      description: orNull(chance, text(chance, 'w')),
      events: chance.pick([['intern.failed'], ['limit.spent', 'limit.nearly_spent']]),
    }),
    patch: (chance) => ({ description: orNull(chance, text(chance, 'v')), enabled: chance.often(0.8) }),
    invalid: [
      [{ url: 'nowhere' }, 'url'],
      [{ events: ['intern.sang'] }, 'events'],
      [{ format: 'fax' }, 'format'],
    ],
    misspelt: ['descripton', 'description'],
    echoes: ['url', 'description', 'events', 'enabled'],
    hasDelete: true,
    hasEtag: true,
  },
  {
    name: 'provider key',
    path: '/byok',
    created: 201,
    idOf: ({ id }) => id,
    body: (chance, number) => ({
      provider: chance.pick(['openai', 'anthropic', 'deepinfra']),
      key: `sk-${number}-0123456789abcdef`,
      name: orNull(chance, `credential ${number}`),
      ...(chance.often(0.3) && { disabled: chance.often(0.5) }),
    }),
    patch: (chance, number) => ({ name: orNull(chance, `credential again ${number}`), disabled: chance.often(0.3) }),
    invalid: [
      [{ name: 5 }, 'name'],
      [{ disabled: 'yes' }, 'disabled'],
      [{ allowed_models: 'all' }, 'allowed_models'],
    ],
    misspelt: ['disable', 'disabled'],
    echoes: ['provider', 'name', 'disabled'],
    hasDelete: true,
    hasEtag: true,
  },
  {
    name: 'workspace',
    path: '/workspaces',
    created: 201,
    idOf: ({ id }) => id,
    body: (chance, number) => ({
      name: `workspace ${number}`,
      slug: `w-${number}`,
      description: orNull(chance, text(chance, 'o')),
    }),
    patch: (chance, number) => ({
      description: orNull(chance, text(chance, 'p')),
      ...(chance.often(0.3) && { name: `workspace again ${number}` }),
    }),
    invalid: [
      [{ name: '' }, 'name'],
      [{ slug: 'Not A Slug' }, 'slug'],
      [{ io_logging_sampling_rate: 2 }, 'io_logging_sampling_rate'],
    ],
    misspelt: ['nmae', 'name'],
    echoes: ['name', 'slug', 'description'],
    hasDelete: true,
    hasEtag: true,
  },
  {
    name: 'member',
    path: '/organization/members',
    created: 201,
    idOf: ({ id, user_id }) => user_id ?? id,
    body: (chance, number) => ({
      email: `person-${number}@example.com`,
      name: text(chance, 'Person'),
      access: chance.pick(['admin', 'developer', 'viewer']),
    }),
    patch: (chance) => ({ access: chance.pick(['admin', 'developer', 'viewer']) }),
    invalid: [[{ access: 'king' }, 'access']],
    misspelt: ['acces', 'access'],
    echoes: ['email', 'access'],
    hasDelete: true,
  },
  {
    name: 'preset',
    path: '/presets',
    createPath: ({ slug }) => `/presets/${slug}/responses`,
    created: 200,
    idOf: ({ slug }) => slug,
    body: (chance, number) => ({ slug: `preset-${number}`, model: 'signalbox/demo', temperature: chance.below(3) / 2 }),
    patch: (chance) => ({
      description: orNull(chance, text(chance, 'q')),
      status: chance.pick(['active', 'disabled', 'archived']),
    }),
    invalid: [
      [{ status: 'gone' }, 'status'],
      [{ name: '' }, 'name'],
    ],
    misspelt: ['statu', 'status'],
    echoes: ['slug', 'description', 'status'],
    apiKeyStatus: 403,
    hasEtag: true,
  },
  {
    name: 'intern',
    path: '/interns',
    created: 201,
    idOf: ({ id }) => id,
    isBare: true,
    body: (chance, number) => ({ name: `intern-${number}`, description: orNull(chance, text(chance, 'i')) }),
    patch: (chance) => ({
      description: orNull(chance, text(chance, 'j')),
      approval_mode: chance.pick(['manual', 'self-drive']),
    }),
    invalid: [
      [{ name: 'x' }, 'name'],
      [{ name: 'Ada' }, 'name'],
      [{ name: 'a--b' }, 'name'],
      [{ name: 'a'.repeat(18) }, 'name'],
      [{ approval_mode: 'wild' }, 'approval_mode'],
    ],
    misspelt: ['descripton', 'description'],
    echoes: ['name', 'description', 'approval_mode'],
    hasEtag: true,
    isCursorList: true,
  },
]
