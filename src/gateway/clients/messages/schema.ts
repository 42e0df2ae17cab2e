import { z } from '#platform/json/schema.ts'

const Block = z
  .looseObject({ type: z.string().describe('Such as `text`, `thinking`, `tool_use`.') })
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
  .meta({ id: 'Message', description: 'A whole message.' })

/** The form of errors for clients of this protocol. */
export const MessageError = z
  .looseObject({
    type: z.literal('error'),
    error: z.looseObject({ type: z.string().describe('Such as `invalid_request_error`.'), message: z.string() }),
    request_id: z.string(),
  })
  .meta({ id: 'MessageError', description: 'The shape of errors at `/messages`.' })

/** One event of the stream, named by its `type`. */
export const MessageEvent = z
  .looseObject({
    type: z
      .string()
      .describe('Such as `message_start`, `content_block_delta`, `message_delta`, `message_stop`, `ping`.'),
    message: Message.optional().describe('In `message_start`.'),
    index: z.int().optional().describe('Which block.'),
    content_block: Block.optional(),
    delta: z.looseObject({}).optional(),
    usage: Usage.optional(),
  })
  .meta({ id: 'MessageEvent', description: 'One event of a streamed message.' })
