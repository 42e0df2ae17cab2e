import type { Endpoint } from '#catalogue/index/model.ts'
import type { ChatRequest } from '#chat/chat-request.ts'
import type { Message } from '#chat/message.ts'
import { isReasoningModel } from '../../protocol/reasoning-models.ts'
import { splitPaths } from '../../protocol/repairs/aliases.ts'
import { assistantImageRepair } from '../../protocol/repairs/assistant-images.ts'
import { withoutSettings } from '../../protocol/repairs/dropped-fields.ts'
import { filenameRepair } from '../../protocol/repairs/file-names.ts'
import { dataUrlRepair } from '../../protocol/repairs/media-types.ts'
import { pairChatResults } from '../../protocol/repairs/paired-results.ts'
import { type Repair, type RepairedBody, type RequestRules, repairBody } from '../../protocol/repairs/repair.ts'
import { repairFormatSchema } from '../../protocol/repairs/response-format.ts'
import { simplifyToolChoice } from '../../protocol/repairs/tool-choice.ts'
import { type ToolShape, toolRepair } from '../../protocol/repairs/tool-repair.ts'
import type { Body } from '../../protocol/request-body.ts'
import { readChosenFunction } from '../../protocol/tool-calls/tool-arguments.ts'
import { openaiEffortRepair, serverEffortRepair } from '../openai/openai-efforts.ts'
import { reasoningModelRepair, skipReasoningBesideTools, verbosityRepair } from '../openai/openai-model-settings.ts'
import { hashLongIds, removeUnstoredMetadata } from '../openai/openai-request-fields.ts'
import {
  chatCallIdPaths,
  chatNames,
  emptyContentRepair,
  formatRepair,
  openaiSchemaRules,
  strictToolRepair,
} from '../openai/openai-rules.ts'
import { isAcceptedInGrammar } from './grammar-constraints.ts'
import {
  cacheBreakpointRepair,
  fitNames,
  removeNullDescriptions,
  unknownFieldRepair,
} from './messages/openai-chat-fields.ts'
import {
  assistantMessageRepair,
  fieldRepair,
  messageOrderRepair,
  rangeRepair,
  skipEmptyStops,
} from './messages/openai-chat-messages.ts'
import { withAcceptedRoles } from './messages/openai-chat-roles.ts'
import { type ChatCompatibility, findCompatibility } from './openai-chat-compatibility.ts'
import { disabledReasoningRepair } from './openai-chat-disabled-reasoning.ts'
import { reasoningRepair } from './openai-chat-reasoning.ts'
import { withResultsAsText } from './openai-chat-simplification.ts'

type FunctionTool = { function?: { name?: unknown; parameters?: unknown } }

const toolShape: ToolShape = {
  schemaOf: (tool) => {
    const { name, parameters } = (tool as FunctionTool).function ?? {}
    return parameters === undefined ? undefined : { name, schema: parameters }
  },
  withSchema: (tool, parameters) => ({ ...tool, function: { ...(tool.function as Body), parameters } }),
}

const formatPosition: Parameters<typeof formatRepair>[0] = {
  name: 'response_format',
  find: (body) => (body.response_format as { json_schema?: Body } | null | undefined)?.json_schema,
  replace: (body, json_schema) => ({ ...body, response_format: { ...(body.response_format as Body), json_schema } }),
}

const defaultToolRepair = toolRepair(toolShape, {})
const openaiToolRepair = toolRepair(toolShape, openaiSchemaRules)
/** The repair for servers that convert schemas to grammars, such as llama.cpp. */
const grammarToolRepair = toolRepair(toolShape, { accepts: isAcceptedInGrammar })

const commonRepairs: Repair[] = [
  removeNullDescriptions,
  emptyContentRepair('messages'),
  skipEmptyStops,
  filenameRepair('messages'),
  dataUrlRepair(splitPaths('messages.*.content.*.image_url.url', 'messages.*.content.*.file.file_data')),
]
const formatRepairs: Repair[] = [formatRepair(formatPosition)]
/** The repairs for servers that check whether a strict schema fulfils the requirements of OpenAI. */
const strictFormatRepairs: Repair[] = [
  repairFormatSchema,
  formatRepair(formatPosition, { validatesStrictSchemas: true }),
  strictToolRepair(
    (tool) => tool.function as Body | undefined,
    (tool, declared) => ({ ...tool, function: declared }),
  ),
]

/** Moves images and files from the results of tools to a message of the user. */
const moveAttachments: Repair = (body) => {
  if (!Array.isArray(body.messages)) return body
  const hasAttachment = (body.messages as Message[]).some(
    (message) =>
      message?.role === 'tool' && Array.isArray(message.content) && message.content.some(({ type }) => type !== 'text'),
  )
  return hasAttachment ? { ...body, messages: withResultsAsText(body.messages) } : body
}

/** The chat models of OpenAI that refuse `parallel_tool_calls`. Their responses accept it. */
const modelsWithoutParallelCalls = /^o\d/

const skipParallelCalls: Repair = (body, dropped) =>
  typeof body.model === 'string' && modelsWithoutParallelCalls.test(body.model)
    ? withoutSettings(body, ['parallel_tool_calls'], dropped)
    : body

/** The properties of a server with the fields that only its reasoning models refuse. */
function withFieldsRefusedByReasoningModel(compatibility: ChatCompatibility, endpoint: Endpoint): ChatCompatibility {
  const { refusedFields = [], fieldsRefusedByReasoningModels } = compatibility
  if (!fieldsRefusedByReasoningModels || !isReasoningModel(endpoint)) return compatibility
  return { ...compatibility, refusedFields: [...refusedFields, ...fieldsRefusedByReasoningModels] }
}

/** Settings for which some models accept only the value that they have without them. */
const samplingSettings = ['temperature', 'top_p', 'presence_penalty', 'frequency_penalty']

function fixedSamplingRepair({ fixedSamplingModels }: ChatCompatibility): Repair {
  return (body, dropped) =>
    typeof body.model === 'string' && fixedSamplingModels?.test(body.model)
      ? withoutSettings(body, samplingSettings, dropped)
      : body
}

/** Moonshot's own functions have names with `$` at the start. */
const builtinNamePattern = /^\$?[a-zA-Z0-9_-]+$/

/** The compiled rules of each endpoint. To compile them for each request would cost as much as a repair. */
const compiledRules = new WeakMap<Endpoint, RequestRules>()

/** Adapts a chat body to the server of the endpoint. */
export function repairChat(body: Body, endpoint: Endpoint): RepairedBody {
  return repairBody(body, compiledRules.getOrInsertComputed(endpoint, compileRules))
}

function compileRules(endpoint: Endpoint): RequestRules {
  const compatibility = findCompatibility(endpoint)
  return {
    // In an order in which no repair undoes an earlier one. Settings depend on the effort, so it is fitted before them.
    // Reasoning can be all of a response, which is removed with it, so roles and the order of messages follow.
    repairs: [
      toolRepairFor(compatibility),
      fieldRepair(withFieldsRefusedByReasoningModel(compatibility, endpoint)),
      openaiEffortRepair(
        ({ reasoning_effort }) => reasoning_effort,
        (body, reasoning_effort) => withField(body, 'reasoning_effort', reasoning_effort),
        'reasoning_effort',
      ),
      serverEffortRepair(compatibility),
      skipReasoningBesideTools,
      disabledReasoningRepair(compatibility, endpoint),
      reasoningModelRepair(({ reasoning_effort: effort }) => effort),
      verbosityRepair(
        ({ verbosity }) => verbosity,
        (body) => withField(body, 'verbosity', undefined),
      ),
      skipParallelCalls,
      ...(compatibility.refusesUnstoredMetadata ? [removeUnstoredMetadata] : []),
      ...(compatibility.refusesLongIds ? [hashLongIds] : []),
      ...(compatibility.refusesAssistantImages ? [assistantImageRepair('messages', 'image_url')] : []),
      fixedSamplingRepair(compatibility),
      rangeRepair(compatibility),
      assistantMessageRepair(compatibility),
      unknownFieldRepair(compatibility),
      ...(compatibility.validatesStrictSchemas ? [fitNames] : []),
      cacheBreakpointRepair(compatibility),
      pairChatResults,
      ...(compatibility.refusesToolResultAttachments ? [moveAttachments] : []),
      ...commonRepairs,
      ...(compatibility.validatesStrictSchemas ? strictFormatRepairs : formatRepairs),
      reasoningRepair(compatibility, endpoint),
      roleRepair(compatibility),
      messageOrderRepair(compatibility),
      toolChoiceRepair(compatibility),
    ],
    names: compatibility.hasBuiltinFunctions ? { ...chatNames, allowedCharacters: builtinNamePattern } : chatNames,
    ...(compatibility.callIds && { callIds: { ...compatibility.callIds, paths: chatCallIdPaths } }),
  }
}

function toolRepairFor({ validatesStrictSchemas, acceptsSchemaConstraints }: ChatCompatibility): Repair {
  if (validatesStrictSchemas) return openaiToolRepair
  return acceptsSchemaConstraints ? defaultToolRepair : grammarToolRepair
}

function withField(body: Body, name: string, value: unknown): Body {
  const { [name]: _before, ...rest } = body
  return value === undefined ? rest : { ...rest, [name]: value }
}

function roleRepair(compatibility: ChatCompatibility): Repair {
  return (body) => {
    if (!Array.isArray(body.messages)) return body
    const messages = withAcceptedRoles(body.messages, compatibility)
    return messages === body.messages ? body : { ...body, messages }
  }
}

/**
 * Sends only the chosen tool to a server that ignores the name in a tool choice, such as llama.cpp. Replaces `allowed_tools`,
 * which most servers lack, by sending only the allowed tools.
 */
function toolChoiceRepair({ namedToolChoice = true, acceptsAllowedTools = false }: ChatCompatibility): Repair {
  return (original) => {
    const body = acceptsAllowedTools ? original : (simplifyToolChoice(original as ChatRequest) as Body)
    const chosen = namedToolChoice ? undefined : readChosenFunction(body.tool_choice)
    if (chosen === undefined || !Array.isArray(body.tools)) return body
    const tools = (body.tools as FunctionTool[]).filter((tool) => tool.function?.name === chosen)
    return tools.length > 0 ? { ...body, tools, tool_choice: 'required' } : body
  }
}
