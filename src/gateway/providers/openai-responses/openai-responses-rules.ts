import { splitPaths } from '../../protocol/repairs/aliases.ts'
import { assistantImageRepair } from '../../protocol/repairs/assistant-images.ts'
import { filenameRepair } from '../../protocol/repairs/file-names.ts'
import { dataUrlRepair } from '../../protocol/repairs/media-types.ts'
import type { RequestRules } from '../../protocol/repairs/repair.ts'
import { type ToolShape, toolRepair } from '../../protocol/repairs/tool-repair.ts'
import type { Body } from '../../protocol/request-body.ts'
import { openaiEffortRepair } from '../openai/openai-efforts.ts'
import { reasoningModelRepair, verbosityRepair } from '../openai/openai-model-settings.ts'
import { hashLongIds } from '../openai/openai-request-fields.ts'
import {
  emptyContentRepair,
  formatRepair,
  openaiSchemaRules,
  responsesCallIds,
  responsesNames,
  strictToolRepair,
} from '../openai/openai-rules.ts'
import { fitItems, fitToolChoice, skipNullFields } from './openai-responses-items.ts'
import { pairCallOutputs, skipLoneReasoning, skipUnreadableReasoning } from './openai-responses-paired-items.ts'

const toolShape: ToolShape = {
  schemaOf: ({ type, name, parameters }) => (type === 'function' ? { name, schema: parameters } : undefined),
  withSchema: (tool, parameters) => ({ ...tool, parameters }),
}

function withEffort(body: Body, effort: string | undefined): Body {
  const { reasoning, ...rest } = body
  return effort === undefined ? rest : { ...rest, reasoning: { ...(reasoning as Body), effort } }
}

function withoutVerbosity({ text, ...rest }: Body): Body {
  const { verbosity: _verbosity, ...options } = text as Body
  return Object.keys(options).length > 0 ? { ...rest, text: options } : rest
}

/** The request rules of OpenAI responses. */
export const responsesRules: RequestRules = {
  // In an order in which no repair undoes an earlier one. Settings depend on the effort, so it is fitted before them.
  repairs: [
    skipNullFields,
    toolRepair(toolShape, openaiSchemaRules),
    emptyContentRepair('input'),
    fitItems,
    filenameRepair('input'),
    assistantImageRepair('input', 'input_image'),
    fitToolChoice,
    pairCallOutputs,
    skipUnreadableReasoning,
    skipLoneReasoning,
    openaiEffortRepair(
      ({ reasoning }) => (reasoning as { effort?: unknown } | null | undefined)?.effort,
      withEffort,
      'reasoning',
    ),
    reasoningModelRepair(({ reasoning }) => (reasoning as { effort?: unknown } | null | undefined)?.effort),
    verbosityRepair(({ text }) => (text as Body | null | undefined)?.verbosity, withoutVerbosity),
    hashLongIds,
    strictToolRepair(
      (tool) => (tool.type === 'function' ? tool : undefined),
      (_tool, declared) => declared as Body,
    ),
    formatRepair(
      {
        name: 'text.format',
        find: ({ text }) => (text as { format?: Body } | null | undefined)?.format,
        replace: (body, format) => ({ ...body, text: { ...(body.text as Body), format } }),
      },
      { validatesStrictSchemas: true },
    ),
    dataUrlRepair(
      splitPaths('input.*.content.*.image_url', 'input.*.output.*.image_url', 'input.*.content.*.file_data'),
    ),
  ],
  names: responsesNames,
  callIds: responsesCallIds,
}

/** The chat names of fields of this protocol. */
export function toChatFieldName(name: string): string {
  return name.replace(/^text\.format/, 'response_format').replace(/^input\.input_image$/, 'messages.image_url')
}

/** Chat fields without a counterpart in this protocol. */
export const fieldsUnsupportedByResponses = [
  'top_k',
  'top_a',
  'min_p',
  'repetition_penalty',
  'seed',
  'frequency_penalty',
  'presence_penalty',
  'stop',
  'logit_bias',
  'logprobs',
  'top_logprobs',
  'modalities',
  'image_config',
  'best_of',
  'store',
  'safety_settings',
] as const
