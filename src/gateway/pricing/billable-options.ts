import type { ChatRequest } from '#chat/chat-request.ts'

type Body = Record<string, unknown>

/** A tool of a request that the provider runs. */
export type ProviderTool = {
  /** Its name in the catalogue's prices. */
  unit: string
  /** The path in the request: `tools[0] (web_search_20250305)`. */
  requestedBy: string
  /** The maximum number of calls; undefined if the request sets no limit. */
  calls: number | undefined
  /** The field that limits the calls, if the protocol has one. */
  bound?: string
  /** Its name in answers, if that differs from `unit`. */
  reported?: string
  /** The other model that the tool runs, by the provider's name, and the maximum of its tokens for each call. */
  model?: { name: string; maxTokens: number | undefined }
}

/** Everything in a request that a provider bills in addition to text: provider tools and the service tier. */
export type BillableOptions = {
  tools: readonly ProviderTool[]
  /** The service tier, if it is not the default. */
  serviceTier: string | undefined
  /** Whether the model reads its whole context again after each call, which is billed. */
  rereadsContext: boolean
  /** Whether the model may first summarize the conversation, which is billed like another request. */
  mayCompact?: boolean
}

export const noBillableOptions: BillableOptions = { tools: [], serviceTier: undefined, rereadsContext: false }

/** Limits the stored name of a tool, in requests and in answers. */
export const maxNameLength = 64

/** Types of tools that the client runs. The provider runs all others. */
const clientToolTypes =
  /^(?:function|custom|namespace|local_shell|apply_patch|computer|computer_use|computer_use_preview|(?:bash|text_editor|memory|computer)_\d{8})$/

export function isClientTool(type: string): boolean {
  return clientToolTypes.test(type)
}

/** The type of a tool without its version: `web_search` for `web_search_20250305`. */
export function toUnitName(type: string): string {
  return type
    .replace(/[-_](?:20\d{6}|20\d\d[-_]\d\d[-_]\d\d)$/, '')
    .toLowerCase()
    .slice(0, maxNameLength)
}

type RequestedTool = { type?: unknown } & Body

/** The provider tools of a request. @param read returns the billing of a tool; undefined if it is free. */
export function providerTools(
  { tools }: Body,
  read: (tool: RequestedTool, path: string) => Omit<ProviderTool, 'requestedBy'> | undefined,
): ProviderTool[] {
  if (!Array.isArray(tools)) return []
  const billedTools: ProviderTool[] = []
  for (let index = 0; index < tools.length; index++) {
    const tool = tools[index] as RequestedTool | null
    if (typeof tool !== 'object' || tool === null) continue
    const type = typeof tool.type === 'string' ? tool.type : 'function'
    const billed = isClientTool(type) ? undefined : read(tool, `tools[${index}]`)
    if (billed) billedTools.push({ ...billed, requestedBy: `tools[${index}] (${type.slice(0, maxNameLength)})` })
  }
  return billedTools
}

/** A whole number of calls, if it is one. */
export function readCallLimit(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined
}

/** Names of the default service tier, and of the provider's choice. */
const defaultTiers: ReadonlySet<unknown> = new Set(['auto', 'default', 'standard'])

export function requestedTier({ service_tier: tier }: Pick<ChatRequest, 'service_tier'>): string | undefined {
  return typeof tier !== 'string' || defaultTiers.has(tier) ? undefined : tier
}
