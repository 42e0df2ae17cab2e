import { z } from '#platform/json/schema.ts'
import { nearestName } from '#platform/json/strict-fields.ts'
import type { Compatibility } from '../../index/model.ts'
import { modelIdPattern, slugPattern, tagPattern } from '../../index/names/names.ts'
import { CatalogueError, type EndpointPatch, type Layer, type ModelPatch, type ProviderPatch } from '../layer.ts'
import { parseSource } from './document.ts'
import { toPricesPatch } from './prices-patch.ts'
import { EndpointRow, ModelRow, ProviderRow } from './rows.ts'
import { withoutUndefined } from './without-undefined.ts'

const CatalogueFile = z.strictObject({
  about: z.string().optional(),
  providers: z.record(z.string(), z.unknown()).nullable().optional(),
  models: z.record(z.string(), z.unknown()).nullable().optional(),
})

type ParsedLayer = Layer & { findLine: NonNullable<Layer['findLine']> }

/**
 * Parses a file in this service's catalogue format (docs/catalogue.md). Invalid rows are listed in `skipped`, with line
 * and field.
 * @throws CatalogueError if the file is not a catalogue.
 */
export function readCatalogueFile(text: string, source: string): Layer {
  const { value, findLine } = parseSource(text, source)
  const file = CatalogueFile.safeParse(value ?? {})
  if (!file.success) {
    const issue = file.error.issues[0]!
    const line = findLine(issue.path)
    throw new CatalogueError(
      `${source} is not a catalogue file: line ${line ?? 1}: ${describeIssue(issue, CatalogueFile)}.`,
    )
  }
  const layer: ParsedLayer = {
    source,
    providers: new Map(),
    models: new Map(),
    skipped: [],
    mergedRows: 0,
    findLine,
  }
  for (const [slug, row] of Object.entries(file.data.providers ?? {})) {
    const provider = readRow(layer, ProviderRow, row, slug, ['providers', slug], slugPattern)
    if (provider) layer.providers.set(slug, toProviderPatch(provider))
  }
  for (const [id, row] of Object.entries(file.data.models ?? {})) {
    const model = readRow(layer, ModelRow, row, id, ['models', id], modelIdPattern)
    if (model) layer.models.set(id, toModelPatch(model, readEndpoints(layer, id, model.endpoints ?? {})))
  }
  return layer
}

function readEndpoints(layer: ParsedLayer, id: string, rows: Record<string, unknown>): Map<string, EndpointPatch> {
  const endpoints = new Map<string, EndpointPatch>()
  for (const [tag, row] of Object.entries(rows)) {
    const path = ['models', id, 'endpoints', tag]
    const endpoint = readRow(layer, EndpointRow, row, `${id}@${tag}`, path, tagPattern)
    if (endpoint) endpoints.set(tag, toEndpointPatch(endpoint))
  }
  return endpoints
}

/** Parses a row, or adds it to the list of skipped ones. */
function readRow<Schema extends z.ZodObject>(
  layer: ParsedLayer,
  schema: Schema,
  row: unknown,
  name: string,
  path: string[],
  nameShape: RegExp,
): z.output<Schema> | undefined {
  const skip = (reason: string, at: readonly PropertyKey[]) =>
    void layer.skipped.push({ source: layer.source, line: layer.findLine(at), row: name, reason })
  const key = path.at(-1) ?? ''
  if (!nameShape.test(key)) return skip(`"${key}" is not a valid name here`, path)
  const parsed = schema.safeParse(row ?? {})
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]!
  const unknown = issue.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : []
  return skip(describeIssue(issue, schema), [...path, ...issue.path, ...unknown])
}

/** Formats an issue as `field: message`. */
function describeIssue(issue: z.core.$ZodIssue, { shape }: z.ZodObject): string {
  if (issue.code === 'unrecognized_keys') {
    const unknownFields = `unknown field ${issue.keys.map((key) => `"${key}"`).join(', ')}`
    if (issue.path.length > 0) return `${unknownFields} in ${issue.path.join('.')}`
    const suggestion = nearestName(issue.keys[0]!, Object.keys(shape))
    return suggestion ? `${unknownFields} (did you mean "${suggestion}"?)` : unknownFields
  }
  return issue.path.length ? `${issue.path.join('.')}: ${issue.message}` : issue.message
}

function toProviderPatch(row: z.output<typeof ProviderRow>): ProviderPatch {
  return withoutUndefined({
    name: row.name,
    aliases: row.aliases,
    protocol: row.protocol,
    baseUrl: row.base_url,
    discover: row.discover,
    compatibility: row.compatibility && toCompatibility(row.compatibility),
    prices: row.prices && toPricesPatch(row.prices),
    credentialVariables: row.credentials,
    tools: row.tools,
    privacyPolicyUrl: row.privacy_policy_url,
    termsOfServiceUrl: row.terms_of_service_url,
    statusPageUrl: row.status_page_url,
    remove: row.remove,
  })
}

function toCompatibility(row: NonNullable<z.output<typeof ProviderRow>['compatibility']>): Compatibility {
  return withoutUndefined({
    developerRole: row.developer_role,
    lateSystemMessages: row.late_system_messages,
    repeatedRoles: row.repeated_roles,
    namedToolChoice: row.named_tool_choice,
    wholeAnswers: row.whole_answers,
    stopsOnDisconnect: row.stops_on_disconnect,
    costLookup: row.cost_lookup,
    reasoningField: row.reasoning_field,
    reasoningTags: row.reasoning_tags,
    textToolCalls: row.text_tool_calls,
    cumulativeText: row.cumulative_text,
  })
}

function toModelPatch(row: z.output<typeof ModelRow>, endpoints: Map<string, EndpointPatch>): ModelPatch {
  const patch = withoutUndefined({
    canonicalSlug: row.canonical_slug,
    name: row.name,
    description: row.description,
    created: row.created === undefined ? undefined : Date.parse(row.created) / 1000,
    contextLength: row.context_length,
    inputModalities: row.input_modalities,
    outputModalities: row.output_modalities,
    tokenizer: row.tokenizer,
    instructType: row.instruct_type,
    family: row.family,
    defaultParameters: row.default_parameters,
    perRequestLimits: row.per_request_limits,
    expirationDate: row.expiration_date,
    knowledgeCutoff: row.knowledge_cutoff,
    supportedVoices: row.supported_voices,
    aliases: row.aliases,
    categories: row.categories,
    distillable: row.distillable,
    benchmarks: row.benchmarks && toBenchmarks(row.benchmarks),
    remove: row.remove,
  })
  return { ...patch, endpoints }
}

function toBenchmarks({ design_arena_elo, ...rest }: NonNullable<z.output<typeof ModelRow>['benchmarks']>) {
  return withoutUndefined({ ...rest, designArenaElo: design_arena_elo })
}

function toEndpointPatch(row: z.output<typeof EndpointRow>): EndpointPatch {
  return withoutUndefined({
    name: row.name,
    upstreamModel: row.model,
    protocol: row.protocol,
    baseUrl: row.base_url,
    compatibility: row.compatibility && toCompatibility(row.compatibility),
    contextLength: row.context_length,
    maxCompletionTokens: row.max_completion_tokens,
    maxPromptTokens: row.max_prompt_tokens,
    quantization: row.quantization,
    prices: row.prices && toPricesPatch(row.prices),
    supportedParameters: row.supported_parameters,
    supportsImplicitCaching: row.implicit_caching,
    toolChoice: row.tool_choice,
    regions: row.regions,
    zeroDataRetention: row.data_policy?.zdr,
    trainsOnData: row.data_policy?.trains,
    publishesPrompts: row.data_policy?.publishes,
    moderated: row.moderated,
    weight: row.weight,
    remove: row.remove,
  })
}
