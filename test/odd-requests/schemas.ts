import type { OddRequest } from './requests.ts'

const [responses, anthropic, gemini] = ['openai-responses', 'anthropic-messages', 'google-gemini']
const closed = (properties: object, more: object = {}) => ({
  ...{ type: 'object', properties, required: Object.keys(properties), additionalProperties: false },
  ...more,
})
const text = { type: 'string' }
const point = closed({ x: { type: 'number' } })
const $defs = { point }
const described = { ...point, description: 'd' }
const allOf = closed({ a: { allOf: [{ $ref: '#/$defs/point' }], description: 'd' } }, { $defs })
const both = closed(
  { a: { allOf: [{ $ref: '#/$defs/point' }, { $ref: '#/$defs/name' }] } },
  {
    $defs: { point: { ...point, additionalProperties: undefined }, name: { type: 'object', properties: { n: text } } },
  },
)
const describedRef = { $ref: '#/$defs/point', description: 'd' }
const besideRef = closed({ a: describedRef }, { $defs })
const bounds = closed({
  a: { ...text, minLength: 2, default: 'xy' },
  b: { type: 'array', items: text, uniqueItems: true },
})
const boundless = {
  a: { ...text, description: '{minLength: 2, default: "xy"}' },
  b: { type: 'array', items: text, description: '{uniqueItems: true}' },
}
const union = { anyOf: [text, { type: 'number' }] }
const nullable = closed({
  a: { ...text, nullable: true },
  b: { ...text, enum: ['x'], nullable: true },
  c: { ...union, nullable: true },
})
const nullTypes = {
  a: { type: ['string', 'null'] },
  b: { type: ['string', 'null'], enum: ['x', null] },
  c: { anyOf: [...union.anyOf, { type: 'null' }] },
}
const next = { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] }
const node = closed({ next })
const list = closed({ first: { $ref: '#/$defs/node' } }, { $defs: { node } })
const describedNode = { $ref: '#/$defs/node', description: 'd' }
const describedTree = closed({ first: describedNode }, { $defs: { node: closed({ next: describedNode }) } })

const format = (schema: object) => ({
  response_format: { type: 'json_schema', json_schema: { name: 'x', strict: true, schema } },
})
const tool = (parameters: object) => ({
  tools: [{ type: 'function', function: { name: 'f', strict: true, parameters } }],
})
const chatSchema = 'response_format.json_schema.schema.properties'
const responsesSchema = 'text.format.schema.properties'
const claudeSchema = 'output_config.format.schema.properties'
const geminiSchema = 'generationConfig.responseJsonSchema.properties'
const strictOf = { openai: 'response_format.json_schema.strict', [responses!]: 'text.format.strict' }

/** Schemas that programs generate, and providers refuse. */
export const schemaChats: OddRequest[] = [
  {
    name: 'a reference in allOf in a response format',
    body: format(allOf),
    sent: {
      openai: { [`${chatSchema}.a`]: described, [strictOf.openai!]: true },
      [responses!]: { [`${responsesSchema}.a`]: described, [strictOf[responses!]!]: true },
      [anthropic!]: { [`${claudeSchema}.a`]: described },
      [gemini!]: { [`${geminiSchema}.a`]: described },
    },
  },
  {
    name: 'two references in allOf in a tool',
    body: tool(both),
    sent: {
      [gemini!]: {
        'tools.0.functionDeclarations.0.parametersJsonSchema.properties.a': {
          ...{ type: 'object', properties: { ...point.properties, n: text }, required: ['x'] },
        },
      },
    },
  },
  {
    name: 'a description beside a reference',
    body: format(besideRef),
    sent: {
      openai: { [`${chatSchema}.a`]: described, [strictOf.openai!]: true },
      [responses!]: { [`${responsesSchema}.a`]: described, [strictOf[responses!]!]: true },
      [anthropic!]: { [`${claudeSchema}.a`]: describedRef },
    },
  },
  {
    name: 'a description beside a recursive reference',
    body: format(describedTree),
    sent: { openai: { [`${chatSchema}.first.properties.next`]: { $ref: '#/$defs/node' }, [strictOf.openai!]: true } },
  },
  {
    name: 'bounds and defaults in a strict format',
    body: format(bounds),
    sent: {
      openai: { [chatSchema]: boundless, [strictOf.openai!]: true },
      [responses!]: { [responsesSchema]: boundless },
      'openai-chat': { [chatSchema]: bounds.properties },
    },
    dropped: { openai: ['response_format.minLength', 'response_format.default', 'response_format.uniqueItems'] },
  },
  {
    name: 'the nullable properties of OpenAPI',
    body: format(nullable),
    sent: {
      openai: { [chatSchema]: nullTypes, [strictOf.openai!]: true },
      [responses!]: { [responsesSchema]: nullTypes },
      [anthropic!]: { [claudeSchema]: nullTypes },
      [gemini!]: { [geminiSchema]: nullable.properties },
      'openai-chat': { [chatSchema]: nullable.properties },
    },
  },
  {
    name: 'a recursive schema of a response format',
    body: format(list),
    sent: {
      openai: { [chatSchema]: list.properties, [strictOf.openai!]: true },
      'anthropic-messages/claude-sonnet-4-6': {
        output_config: undefined,
        'tools.0.input_schema': list,
        'tool_choice.name': 'json_answer',
      },
    },
  },
  {
    name: 'a recursive schema of a strict tool',
    body: tool(list),
    sent: {
      openai: { 'tools.0.function.strict': true },
      [anthropic!]: { 'tools.0.strict': undefined, 'tools.0.input_schema': list },
    },
    dropped: { [anthropic!]: ['tools.f.strict'] },
  },
]
