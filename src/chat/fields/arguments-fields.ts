import { type FieldFilter, parseWithExactFields } from '#platform/json/json-text/exact-numbers.ts'

/** Fields with the arguments of a tool call, in the protocols of OpenAI and Gemini. */
const argumentsFields: ReadonlySet<string> = new Set(['arguments', 'args', 'partialArgs', 'partial_args'])

/** Whether a field has the arguments of a tool call. Anthropic has them in `input`, a name that requests also use. */
export const isArgumentsField: FieldFilter = (name, parent) =>
  argumentsFields.has(name) || (name === 'input' && parent.type === 'tool_use')

/** Matches the start of arguments that are not JSON text in a string. */
const parsedArguments = /"(?:arguments|args|input|partialArgs|partial_args)"\s*:\s*[[{\d-]/

/** Parses a response or an event of a provider. Numbers in the arguments of tool calls keep all of their digits. */
export function parseWithExactArguments(json: string): unknown {
  return parsedArguments.test(json) ? parseWithExactFields(json, isArgumentsField) : JSON.parse(json)
}
