import { z } from '#platform/json/schema.ts'

/** A part of a message: text, an image, a file, audio, or a provider's own type. */
export const ContentPart = z.looseObject({ type: z.string(), text: z.string().nullish() })
export type ContentPart = z.infer<typeof ContentPart>

export const Content = z.union([z.string(), z.array(ContentPart)], {
  error: 'must be text or an array of parts, each with a type',
})
export type Content = z.infer<typeof Content>

/** Some clients send an object. The type hides it, because it becomes text before anything reads it. */
const CallArguments = z.union([z.string(), z.looseObject({}), z.null()], {
  error: 'must be the arguments as JSON text',
}) as unknown as z.ZodString

/** A complete function call of an assistant message. */
export const ToolCall = z.looseObject({
  id: z.string(),
  type: z.string().optional(),
  function: z.looseObject({ name: z.string(), arguments: CallArguments }).optional(),
})
export type ToolCall = z.infer<typeof ToolCall>

/** A result of null is accepted. The type hides it, because it becomes an empty text before anything reads it. */
const ResultContent = Content.nullable() as unknown as typeof Content

const ToolResult = z.looseObject({ role: z.literal('tool'), content: ResultContent, tool_call_id: z.string() })

/**
 * The predecessor of a tool result. Its type is hidden, because it is replaced by a tool result before anything reads
 * the messages.
 */
const FunctionResult = z.looseObject({
  role: z.literal('function'),
  content: Content.nullish(),
  name: z.string(),
}) as unknown as typeof ToolResult

/** A message of a chat. Additional fields of providers are accepted. */
export const Message = z.discriminatedUnion(
  'role',
  [
    z.looseObject({ role: z.enum(['system', 'developer', 'user']), content: Content, name: z.string().nullish() }),
    z.looseObject({
      role: z.literal('assistant'),
      content: Content.nullish(),
      name: z.string().nullish(),
      tool_calls: z.array(ToolCall).nullish(),
    }),
    ToolResult,
    FunctionResult,
  ],
  { error: 'must be "system", "developer", "user", "assistant" or "tool"' },
)
export type Message = z.infer<typeof Message>

/** Returns the text parts of a message's content, joined. */
export function textOf(content: Content | null | undefined, separator = ''): string {
  if (typeof content === 'string') return content
  return (content ?? []).flatMap((part) => (part.text == null ? [] : [part.text])).join(separator)
}
