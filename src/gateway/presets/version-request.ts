import { ResponsesRequest } from '#chat/responses-request.ts'
import type { Db } from '#platform/db/db.ts'
import type { z } from '#platform/json/schema.ts'
import { strictFields } from '#platform/json/strict-fields.ts'
import type { Body } from '../protocol/request-body.ts'
import { applyPreset, type PresetAdapter } from './apply-preset.ts'
import { ChatPresetBody, fieldsFromChat, settingsFromChat } from './from-chat.ts'
import { fieldsFromMessages, MessagesPresetBody, settingsFromMessages } from './from-messages.ts'
import { VersionSettings } from './preset-config.ts'
import { readPresetReference } from './preset-reference.ts'
import { fieldsFromResponses, type PresetSettings, settingsFromResponses, withoutDefaults } from './preset-settings.ts'
import { getPreset, getVersion, type PresetScope } from './read-presets.ts'

/** The request or the settings from which a version is saved, under the name of its kind. */
export const NewPresetVersion = strictFields({
  responses: ResponsesRequest.optional(),
  chat: ChatPresetBody.optional(),
  messages: MessagesPresetBody.optional(),
  settings: VersionSettings.optional(),
})
  .refine((body) => Object.values(body).filter((request) => request !== undefined).length === 1, {
    error: 'exactly one of responses, chat, messages and settings is required',
  })
  .meta({
    id: 'NewPresetVersion',
    description:
      'A request body of one kind, or the whole contents of a version as `settings`. If it names a preset, the configuration of that preset is included.',
    minProperties: 1,
    maxProperties: 1,
  })
type NewPresetVersion = z.infer<typeof NewPresetVersion>

type ResolvedVersion = { settings: PresetSettings; skippedFields: string[] }

/**
 * The settings of a request, and the names of its fields that a preset does not store. A request that names a preset has
 * that preset applied, as in a completion.
 * @throws Fault `invalid`, or `not_found` if it names a missing preset or version.
 */
export async function resolveNewVersion(
  deps: { db: Db },
  scope: PresetScope,
  { settings: fullSettings, ...requests }: NewPresetVersion,
): Promise<ResolvedVersion> {
  const { responses, chat, messages } = requests
  const body: Body = (fullSettings?.config ?? responses ?? chat ?? messages)!
  const reference = readPresetReference(body)
  const ownFields = reference?.bodyWithoutPreset ?? body
  const reader = fullSettings ? createSettingsReader(fullSettings.system_prompt) : createRequestReader(requests)
  const settings = reader.readSettings(ownFields)
  return {
    settings: reference ? await mergeOntoVersion(deps, scope, reference, settings) : settings,
    skippedFields: reader.listSkippedFields(ownFields).slice(0, maxSkippedFields),
  }
}

const maxSkippedFields = 100

/** Reads a body of one protocol, or a configuration. */
type VersionReader = { readSettings: (body: Body) => PresetSettings; listSkippedFields: (body: Body) => string[] }

/** Settings are stored as they are. */
const createSettingsReader = (systemPrompt: string | null | undefined): VersionReader => ({
  readSettings: (config) => ({ systemPrompt: systemPrompt || null, config: withoutDefaults(config) }),
  listSkippedFields: () => [],
})

function createRequestReader({ responses, chat }: Pick<NewPresetVersion, 'responses' | 'chat'>): VersionReader {
  if (responses)
    return {
      readSettings: settingsFromResponses,
      listSkippedFields: (body) => findSkipped(body, fieldsFromResponses),
    }
  if (!chat)
    return { readSettings: settingsFromMessages, listSkippedFields: (body) => findSkipped(body, fieldsFromMessages) }
  return {
    readSettings: settingsFromChat,
    listSkippedFields: (body) =>
      findSkipped(body, fieldsFromChat).filter((name) => name !== 'messages' || hasConversation(body)),
  }
}

const findSkipped = (body: Body, stored: ReadonlySet<string>) =>
  Object.keys(body).filter((name) => !stored.has(name) && body[name] !== undefined && body[name] !== null)

const hasConversation = ({ messages }: z.infer<typeof ChatPresetBody>) =>
  messages?.some(({ role }) => role !== 'system' && role !== 'developer') ?? false

/** A stored configuration uses the field names of presets and contains the system prompt separately. */
const storedAdapter: PresetAdapter = {
  toBodyFields: (config) => config,
  withPrompt: () => ({}),
  mergedFields: ['text'],
}

async function mergeOntoVersion(
  deps: { db: Db },
  scope: PresetScope,
  { slug, version }: { slug: string; version?: number },
  { systemPrompt, config }: PresetSettings,
): Promise<PresetSettings> {
  const base =
    version === undefined
      ? (await getPreset(deps, scope, slug)).designated_version
      : await getVersion(deps, scope, slug, version)
  return {
    systemPrompt: [base.system_prompt, systemPrompt].filter(Boolean).join('\n\n') || null,
    config: applyPreset(base, config, storedAdapter),
  }
}
