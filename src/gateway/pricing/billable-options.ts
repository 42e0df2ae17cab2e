import type { ChatRequest } from '#chat/chat-request.ts'

type Body = Record<string, unknown>

/** A tool of a request that the provider runs. */
export type ProviderTool = {
  /** The name of the tool in the catalogue's prices. */
  unit: string
  /** The path and type of the tool in the request: `tools[0] (web_search_20250305)`. */
  requestedBy: string
  /** The maximum number of calls; undefined if the request sets no limit. */
  maxCalls: number | undefined
  /** The calls that are charged if the provider's usage does not count the tool. */
  unreportedCalls?: number
  /** The field that limits the calls, if the protocol has one. */
  limitField?: string
  /** The name of the tool in the provider's usage, if that differs from `unit`. */
  reportedUnit?: string
  /** The other model that the tool calls, by the provider's name, and the most tokens that it generates in each call. */
  model?: { name: string; maxTokens: number | undefined }
}

/** Everything in a request that a provider bills in addition to text: provider tools and the service tier. */
export type BillableOptions = {
  tools: readonly ProviderTool[]
  /** The service tier, if it is not the default. */
  serviceTier: string | undefined
  /** Whether the model reads the whole context again after each call of a tool, which the provider bills. */
  rereadsContext: boolean
  /** Whether the model can first compact the conversation, which the provider bills like another request. */
  canCompact?: boolean
}

export const noBillableOptions: BillableOptions = { tools: [], serviceTier: undefined, rereadsContext: false }

/** The most characters that are stored of the name of a tool. */
export const maxUnitNameLength = 64

/** Types of tools that the client runs. The provider runs all others. */
const clientToolTypes =
  /^(?:function|custom|namespace|local_shell|apply_patch|computer|computer_use|computer_use_preview|(?:bash|text_editor|memory|computer)_\d{8})$/

export function isClientTool(type: string): boolean {
  return clientToolTypes.test(type)
}

/** The type of a tool without its version: `web_search` for `web_search_20250305`. Price lists use it as the unit of a call. */
export function toToolName(type: string): string {
  return type
    .replace(/[-_](?:20\d{6}|20\d\d[-_]\d\d[-_]\d\d)$/, '')
    .toLowerCase()
    .slice(0, maxUnitNameLength)
}

type RequestedTool = { type?: unknown } & Body

/**
 * The provider tools of a request that are billed.
 * @param read returns the billing of a tool; undefined if the tool is free.
 */
export function listProviderTools(
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
    if (billed) billedTools.push({ ...billed, requestedBy: `tools[${index}] (${type.slice(0, maxUnitNameLength)})` })
  }
  return billedTools
}

/** Reads a limit of calls. Undefined if the value is not a whole number. */
export function readCallLimit(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined
}

/** The names that providers use for the default service tier, and for a tier of their choice. */
const defaultTierNames: ReadonlySet<unknown> = new Set(['auto', 'default', 'standard'])

export function readRequestedTier({ service_tier: tier }: Pick<ChatRequest, 'service_tier'>): string | undefined {
  return typeof tier !== 'string' || defaultTierNames.has(tier) ? undefined : tier
}
