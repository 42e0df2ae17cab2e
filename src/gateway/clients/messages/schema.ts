import { z } from '#platform/json/schema.ts'

const Block = z
  .looseObject({ type: z.string().describe('For example `text`, `thinking` or `tool_use`.') })
  .meta({ id: 'MessageBlock' })

const Usage = z.looseObject({ input_tokens: z.int().nullish(), output_tokens: z.int().nullish() })

export const Message = z
  .looseObject({
    id: z.string(),
    type: z.literal('message'),
    role: z.literal('assistant'),
    model: z.string(),
    content: z.array(Block),
    stop_reason: z.string().nullable(),
    usage: Usage,
  })
  .meta({ id: 'Message', description: 'A complete message.' })

/** The error body of Anthropic's Messages API. */
export const MessageError = z
  .looseObject({
    type: z.literal('error'),
    error: z.looseObject({ type: z.string().describe('For example `invalid_request_error`.'), message: z.string() }),
    request_id: z.string(),
  })
  .meta({ id: 'MessageError', description: 'The format of errors at `/messages`.' })

/** One event of the stream, named by its `type`. */
export const MessageEvent = z
  .looseObject({
    type: z
      .string()
      .describe('For example `message_start`, `content_block_delta`, `message_delta`, `message_stop` or `ping`.'),
    message: Message.optional().describe('Present in `message_start`.'),
    index: z.int().optional().describe('The index of the content block.'),
    content_block: Block.optional(),
    delta: z.looseObject({}).optional(),
    usage: Usage.optional(),
  })
  .meta({ id: 'MessageEvent', description: 'One event of a streamed message.' })
