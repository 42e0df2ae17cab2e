import type { Preset } from '#gateway/presets/preset.ts'
import type { Credential } from '#identity/provider-keys/credential.ts'
import { printableLine } from '#platform/text/printable.ts'
import { countWithNoun, minute } from '../../kit/format.ts'
import { table } from '../../kit/table.ts'
import type { Terminal } from '../../kit/terminal.ts'
import { columns, type Overrides, printJson } from '../api-command.ts'
import { keys, members } from '../defaults.ts'

type Catalogue = {
  report: { sources: string[]; models: number; endpoints: number; skipped: { row: string; reason: string }[] }
  providers: { slug: string; models: number; missing: string[] }[]
}

function printCatalogue({ data }: { data: Catalogue }, { out }: Pick<Terminal, 'out'>): void {
  const { report, providers } = data
  out(`${report.models} models with ${report.endpoints} endpoints from ${report.sources.join(', ')}`)
  for (const { row, reason } of report.skipped) out(printableLine(`Skipped ${row}: ${reason}`))
  const rows = providers.map(({ slug, models, missing }) => [slug, String(models), missing.join(', ') || '-'])
  out(table(['PROVIDER', 'MODELS', 'MISSING VARIABLES'], rows))
}

type Model = { id: string; name: string; context_length: number | null; pricing: Record<string, string> }

/** A price per million tokens, as people compare them. */
const perMillion = (price: string | undefined) =>
  price === undefined ? '-' : `$${Number((Number(price) * 1e6).toPrecision(6))}`

const modelColumns = columns<Model>({
  ID: (model) => model.id,
  NAME: (model) => model.name,
  CONTEXT: (model) => String(model.context_length ?? '-'),
  'USD/M PROMPT': (model) => perMillion(model.pricing.prompt),
  'USD/M COMPLETION': (model) => perMillion(model.pricing.completion),
})
type Assignment = { guardrail_id: string; created_at: string }
type KeyAssignment = Assignment & { key_hash: string; key_name: string; key_label: string }
type MemberAssignment = Assignment & { user_id: string }

const guardrailId = (assignment: Assignment) => assignment.guardrail_id
const keyAssignmentCells = {
  HASH: ({ key_hash }: KeyAssignment) => key_hash.slice(0, 12),
  NAME: ({ key_name }: KeyAssignment) => key_name,
  KEY: ({ key_label }: KeyAssignment) => key_label,
  'ASSIGNED (UTC)': ({ created_at }: KeyAssignment) => minute(created_at),
}
const memberAssignmentCells = {
  'USER ID': ({ user_id }: MemberAssignment) => user_id,
  'ASSIGNED (UTC)': ({ created_at }: MemberAssignment) => minute(created_at),
}

const withoutFeedOptions = { use_rss: false, use_rss_chat_links: false } as const
const noCommandBesideSave = { without: 'Like "presets save", which accepts any of the three request bodies.' }

/** Commands for models, provider keys, presets and guardrails. */
export const models = {
  listModels: {
    description: 'List models with filters and sorting',
    options: withoutFeedOptions,
    columns: modelColumns,
  },
  listModelsForUser: {
    name: 'models allowed',
    description: 'List the models that the key in SIGNALBOX_KEY is allowed to use',
    options: withoutFeedOptions,
    columns: modelColumns,
  },
  countModels: { name: 'models count' },
  listEmbeddingsModels: {
    name: 'models embeddings',
    description: 'List the models that create embeddings',
    options: withoutFeedOptions,
    columns: modelColumns,
  },
  getModel: { name: 'models show' },
  retrieveModel: { without: 'For SDKs of OpenAI and Anthropic. At the terminal: "models show".' },
  listEndpoints: {
    name: 'models endpoints',
    rows: ({ endpoints }: { endpoints: unknown[] }) => endpoints,
    columns: ['tag', 'provider_name', 'status', 'context_length', 'max_completion_tokens', 'quantization'],
  },
  listZdrEndpoints: {
    name: 'models zdr-endpoints',
    columns: ['model_id', 'tag', 'provider_name', 'status', 'context_length', 'max_completion_tokens'],
  },
  getEndpointHistory: {
    name: 'models history',
    description: 'Print latency, throughput and uptime of endpoints over time as JSON',
    print: printJson,
  },
  listProviders: { name: 'models providers', columns: ['slug', 'name', 'status_page_url'] },
  getCatalogue: {
    name: 'catalogue status',
    description: 'Show the sources of the catalogue, skipped rows, and missing credentials of providers',
    print: printCatalogue,
  },
  reloadCatalogue: { description: 'Reload the catalogue files on every server' },

  listProviderKeys: {
    description: 'List the provider keys of a workspace, with secrets masked',
    options: { provider: ['--provider <slug>', 'Only those of this provider'] },
    columns: columns<Credential>({
      ID: (credential) => credential.id,
      PROVIDER: (credential) => credential.provider,
      NAME: (credential) => credential.name ?? '',
      KEY: (credential) => credential.label,
      STATE: (credential) => (credential.disabled ? 'disabled' : 'enabled'),
    }),
  },
  createProviderKey: {
    name: 'byok add',
    description: 'Add a provider key. Set PROVIDER_KEY to the key, so that it does not appear in the shell history',
    arguments: { provider: { name: 'provider', help: 'Slug of the provider, such as "openai"' } },
    options: {
      name: ['--name <text>', 'Display name'],
      disabled: ['--disabled', 'Add the key without enabling it'],
      declared_zdr: false,
    },
    fromEnvironment: { key: 'PROVIDER_KEY' },
    resultMessage: (_input, { data }) => `Added ${(data as Credential).id} for ${(data as Credential).provider}.`,
  },
  updateProviderKey: {
    description: 'Update a provider key. To replace the key itself, set PROVIDER_KEY to the new one',
    options: { declared_zdr: false },
    fromEnvironment: { key: 'PROVIDER_KEY' },
  },

  listPresets: {
    description: 'List the presets in the workspace of your key, most recently updated first',
    columns: columns<Preset>({
      SLUG: (preset) => preset.slug,
      NAME: (preset) => preset.name,
      STATUS: (preset) => preset.status,
      'UPDATED (UTC)': (preset) => minute(preset.updated_at),
      DESCRIPTION: (preset) => preset.description ?? '',
    }),
  },
  getPreset: { handWritten: 'presets show' },
  updatePreset: {
    options: {
      name: ['--name <text>', 'Display name'],
      status: ['--status <status>', 'Status; requests can use only active presets'],
    },
    resultMessage: (_input, { data }) => {
      const { slug, name, status } = data as Preset
      return `Updated "${slug}": name "${name}", status ${status}.`
    },
  },
  listPresetVersions: { handWritten: 'presets versions' },
  getPresetVersion: { handWritten: 'presets show' },
  savePresetVersion: { handWritten: 'presets save' },
  previewPresetVersion: { handWritten: 'presets preview' },
  savePresetFromResponses: noCommandBesideSave,
  savePresetFromChat: noCommandBesideSave,
  savePresetFromMessages: noCommandBesideSave,
  designatePresetVersion: {
    name: 'presets use',
    description: 'Select the version that requests use',
    resultMessage: ({ slug, version }) => `Requests for "${slug}" now use version ${version}.`,
  },

  listGuardrails: { handWritten: 'guardrails list' },
  getGuardrail: { handWritten: 'guardrails show' },
  createGuardrail: { handWritten: 'guardrails create' },
  updateGuardrail: { handWritten: 'guardrails set' },
  replayGuardrail: { handWritten: 'guardrails replay' },
  deleteGuardrail: { resultMessage: ({ id }) => `Deleted "${id}".` },
  getGuardrailThresholds: { handWritten: 'budgets thresholds guardrail' },
  setGuardrailThresholds: { handWritten: 'budgets thresholds guardrail' },
  listGuardrailsForModel: { name: 'guardrails model', description: 'List what guardrails allow for a model' },
  listKeyAssignments: {
    name: 'guardrails assignments keys',
    columns: columns<KeyAssignment>({ 'GUARDRAIL ID': guardrailId, ...keyAssignmentCells }),
  },
  listMemberAssignments: {
    name: 'guardrails assignments members',
    columns: columns<MemberAssignment>({ 'GUARDRAIL ID': guardrailId, ...memberAssignmentCells }),
  },
  listGuardrailKeyAssignments: {
    name: 'guardrails keys',
    description: 'List the keys that a guardrail is assigned to',
    columns: columns(keyAssignmentCells),
  },
  listGuardrailMemberAssignments: {
    name: 'guardrails members',
    description: 'List the members that a guardrail is assigned to',
    columns: columns(memberAssignmentCells),
    notes: '"members list" lists the IDs of members.',
  },
  assignKeys: {
    name: 'guardrails assign-keys',
    arguments: { key_hashes: keys },
    resultMessage: ({ id }, { assigned_count }) => `Assigned "${id}" to ${countWithNoun(assigned_count, 'key')}.`,
  },
  unassignKeys: {
    name: 'guardrails unassign-keys',
    arguments: { key_hashes: keys },
    resultMessage: ({ id }, { unassigned_count }) => `Removed "${id}" from ${countWithNoun(unassigned_count, 'key')}.`,
  },
  assignMembers: {
    name: 'guardrails assign-members',
    arguments: { member_user_ids: members },
    resultMessage: ({ id }, { assigned_count }) => `Assigned "${id}" to ${countWithNoun(assigned_count, 'member')}.`,
  },
  unassignMembers: {
    name: 'guardrails unassign-members',
    arguments: { member_user_ids: members },
    resultMessage: ({ id }, { unassigned_count }) =>
      `Removed "${id}" from ${countWithNoun(unassigned_count, 'member')}.`,
  },
} satisfies Overrides
