import { isRecursive, resolveRoot } from '#platform/json-schema/schema-refs.ts'
import type { Body } from '../../protocol/request-body.ts'

type Tool = { name?: unknown } | null
type Choice = { type?: unknown } & Body

/**
 * Claude models without response formats: up to version 4.0. After `4` or `4.0`, a name ends, continues with a word, or has a
 * date of at least six digits (`claude-sonnet-4-20250514`).
 */
const modelsWithoutFormats = /claude-(?:[123]\b|instant|(?:opus|sonnet|haiku)-4(?:[-.]0)?(?:$|[-@:]\D|[-@:]\d{6,}))/

const defaultToolName = 'json_answer'

/**
 * Replaces a response format by a tool whose arguments are the response, for models that refuse formats
 * (docs/decisions/0287), and for recursive schemas, which Claude refuses in formats. The model is forced to call the tool, except with reasoning, because Claude then refuses forced calls.
 * @returns the name of the tool; undefined if the body is unchanged.
 */
export function replaceFormatByTool(body: Body): { body: Body; outputTool?: string } {
  const { model, output_config, output_format, tools: clientTools, tool_choice } = body
  const { format = output_format, ...config } = (output_config ?? {}) as { format?: unknown } & Body
  const { type, schema } = (format ?? {}) as { type?: unknown; schema?: unknown }
  if (type !== 'json_schema' || typeof model !== 'string') return { body }
  if (!modelsWithoutFormats.test(model) && !isRecursive(schema)) return { body }
  // The arguments of a tool are an object.
  if ((resolveRoot(schema) as { type?: unknown } | null | undefined)?.type !== 'object') return { body }
  const tools = (Array.isArray(clientTools) ? clientTools : []) as Tool[]
  const outputTool = chooseToolName(tools)
  const tool = {
    name: outputTool,
    description: 'Gives the final answer. Its input is the whole response, so call it once, and write no other text.',
    input_schema: schema,
  }
  const { output_config: _config, output_format: _format, ...rest } = body
  return {
    outputTool,
    body: {
      ...addInstruction(rest, outputTool),
      ...(Object.keys(config).length > 0 && { output_config: config }),
      tools: [...tools, tool],
      tool_choice: toToolChoice(body, tools.length > 0, tool_choice as Choice | null | undefined, outputTool),
    },
  }
}

function chooseToolName(tools: readonly Tool[]): string {
  const names = new Set(tools.map((tool) => tool?.name))
  let name = defaultToolName
  while (names.has(name)) name += '_'
  return name
}

function usesThinking({ thinking }: Body): boolean {
  const { type } = (thinking ?? {}) as { type?: unknown }
  return type === 'enabled' || type === 'adaptive'
}

/**
 * The choice that makes the model answer by a tool. A function that the client requires stays required. Beside other tools
 * the model can call one of them first.
 */
function toToolChoice(body: Body, hasTools: boolean, choice: Choice | null | undefined, name: string): Choice {
  if (usesThinking(body)) return { type: 'auto' }
  if (choice?.type === 'tool') return choice
  const { type: _type, ...options } = choice ?? {}
  if (hasTools && choice?.type !== 'none') return { ...options, type: 'any' }
  return { type: 'tool', name, disable_parallel_tool_use: true }
}

/** Instructs a model that cannot be forced to call the tool. */
function addInstruction(body: Body, name: string): Body {
  if (!usesThinking(body)) return body
  const text = `Give the final answer only by calling the tool "${name}".`
  return { ...body, system: [...listBlocks(body.system), { type: 'text', text }] }
}

/** The system prompt as blocks. */
function listBlocks(system: unknown): unknown[] {
  if (typeof system === 'string') return [{ type: 'text', text: system }]
  return Array.isArray(system) ? system : []
}
