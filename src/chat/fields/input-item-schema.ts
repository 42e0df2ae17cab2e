import { ifThen } from '#platform/json/conditional-rules.ts'

type JsonSchema = Record<string, unknown>

const text = { type: 'string' }
const part = { type: 'object', required: ['type'], properties: { type: text } }
const content = { anyOf: [text, { type: 'array', items: part }] }
const texts = { type: ['array', 'null'], items: { type: 'object', properties: { text: { type: ['string', 'null'] } } } }
const role = { enum: ['system', 'developer', 'user', 'assistant'] }
const requiredFields = (fields: Record<string, JsonSchema>) => ({ required: Object.keys(fields), properties: fields })

/** The schemas of items of `input` in the Responses API, by type. Items of unknown types can have any fields. */
const schemasByType: [types: string[], schema: JsonSchema][] = [
  [['function_call'], requiredFields({ call_id: text, name: text, arguments: text })],
  [['custom_tool_call'], requiredFields({ call_id: text, name: text, input: text })],
  [
    ['function_call_output', 'custom_tool_call_output'],
    { required: ['call_id'], properties: { call_id: text, output: { anyOf: [content, { type: 'null' }] } } },
  ],
  [['reasoning'], { properties: { summary: texts, content: texts, encrypted_content: { type: ['string', 'null'] } } }],
]

const message = {
  required: ['role'],
  properties: { role, content: { anyOf: [content, { type: 'null' }] } },
}

/**
 * The JSON Schema of an item of `input` in the Responses API, only for the API description. Items are validated by the code
 * that reads them, which reports the position of an error.
 */
export const inputItemSchema = schemasByType.reduceRight<JsonSchema>(
  (rest, [types, schema]) => ifThen({ required: ['type'], properties: { type: { enum: types } } }, schema, rest),
  // An item without a type is a message.
  ifThen({ properties: { type: { enum: ['message', null] } } }, message),
)
