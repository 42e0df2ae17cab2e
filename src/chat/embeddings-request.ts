import { z } from '#platform/json/schema.ts'
import { EndUser, SessionId, Trace } from './fields/call-fields.ts'
import { Metadata } from './fields/metadata.ts'
import { requiredFields } from './fields/required-fields.ts'
import { ProviderPreferences, Route } from './fields/routing-fields.ts'

/** The maximum number of inputs of a request, as at OpenAI. */
export const maxInputs = 2048

/** An input of embeddings: a text, token ids, or parts of content. */
export type EmbeddingsInput = string | number[] | { content: Record<string, unknown>[] }

const tokenIds = { type: 'array', minItems: 1, items: { type: 'integer', minimum: 0 } }
const parts = {
  type: 'array',
  minItems: 1,
  items: { type: 'object', required: ['type'], properties: { type: { type: 'string' } } },
}

/** One list of any item, because generators of clients create wrong types for a union of lists with objects. */
const inputSchema = {
  anyOf: [
    { type: 'string' },
    {
      type: 'array',
      minItems: 1,
      items: {
        anyOf: [
          { type: 'string' },
          { type: 'integer', minimum: 0 },
          tokenIds,
          { type: 'object', required: ['content'], properties: { content: parts } },
        ],
      },
      description: `The token ids of one input, or at most ${maxInputs} inputs of one form: texts, token ids, or parts of content (texts, images, audio, video, files).`,
    },
  ],
}

/** Checked by hand: a union of Zod would check each of 100,000 token ids against every form. */
const Input = z
  .unknown()
  .superRefine((input, context) => {
    const problem = findProblem(input)
    if (problem) context.addIssue({ code: 'custom', ...problem })
  })
  .meta(inputSchema)

type Problem = { message: string; path?: number[] }

const formError = 'must be a text, token ids, or a list of texts, of token ids or of objects with "content"'

function findProblem(input: unknown): Problem | undefined {
  if (typeof input === 'string') return undefined
  if (!Array.isArray(input)) return { message: formError }
  if (input.length === 0) return { message: 'must not be empty' }
  if (isTokenIds(input)) return undefined
  if (input.length > maxInputs) return { message: `must have at most ${maxInputs} inputs` }
  const isInput = findFormCheck(input[0])
  const wrongIndex = isInput ? input.findIndex((item) => !isInput(item)) : 0
  return wrongIndex === -1
    ? undefined
    : { message: isInput ? 'must have the form of the first input' : formError, path: [wrongIndex] }
}

/** Returns the check for all inputs of a list, chosen by the first input; undefined if the first input has no valid form. */
function findFormCheck(first: unknown): ((input: unknown) => boolean) | undefined {
  return [isText, isTokenIds, isMultimodal].find((isForm) => isForm(first))
}

const isText = (input: unknown) => typeof input === 'string'

function isTokenIds(input: unknown): boolean {
  return Array.isArray(input) && input.length > 0 && input.every((id) => Number.isInteger(id) && id >= 0)
}

function isMultimodal(input: unknown): boolean {
  const { content } = (input ?? {}) as { content?: unknown }
  return Array.isArray(content) && content.length > 0 && content.every((part) => typeof part?.type === 'string')
}

/** The body of an embeddings request. Unknown fields are accepted, because providers add their own. */
export const EmbeddingsRequest = z
  .looseObject({
    input: Input,
    model: z.string().optional(),
    models: z.array(z.string()).nullish().describe('Fallback models, in this order.'),
    encoding_format: z
      .enum(['float', 'base64'])
      .nullish()
      .describe('`base64`: the vector as little-endian 32-bit floats. Defaults to `float`.'),
    dimensions: z.int().min(1).nullish().describe('The length of the vectors, for models that support it.'),
    input_type: z
      .string()
      .nullish()
      .describe('The use of the vectors, for models that distinguish it: `search_query` or `search_document`.'),
    preset: z.string().optional().describe('The slug of a preset, which supplies models and preferences.'),
    provider: ProviderPreferences.nullish(),
    route: Route,
    session_id: SessionId.nullish(),
    trace: Trace.nullish(),
    user: EndUser.nullish(),
    metadata: Metadata.nullish(),
  })
  .meta({
    id: 'EmbeddingsRequest',
    description: 'The body of an embeddings request. Without a preset, `model` or `models` is required.',
    ...requiredFields(),
  })
